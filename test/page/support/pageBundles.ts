// Builds the scripts and style sheets of pages as the extension builds them. The files of one run share what is built.
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import * as z from 'zod';
import { environmentVariable } from '../../../scripts/lib/environment.mjs';
import { lateScriptBundle, pageBundle } from '../../../scripts/lib/bundles/pageBundle.mjs';

const Bundle = z.object({ script: z.string(), style: z.string() });
type Bundle = z.infer<typeof Bundle>;

/** `script` and `style` are paths relative to the repository. */
export function buildPage(script: string, style: string): Promise<Bundle> {
  return once(`${script} ${style}`, () =>
    build({
      ...pageBundle({ name: 'page', script, style }),
      minify: true,
      keepNames: true,
    }),
  );
}

/** What pages load when they need it, by name. */
export async function buildLateScripts(): Promise<ReadonlyMap<string, string>> {
  const { entryPoints, ...options } = lateScriptBundle();
  const scripts = entryPoints.map(async (entry) => {
    const make = () => build({ ...options, entryPoints: [entry], minify: true, keepNames: true });
    return [`${entry.out}.js`, (await once(entry.in, make)).script] as const;
  });
  return new Map(await Promise.all(scripts));
}

/** A script that runs in pages before their own. `file` is relative to the repository. */
export async function buildScript(file: string): Promise<string> {
  const { script } = await once(file, () => build({ entryPoints: [file], bundle: true, format: 'iife' }));
  return script;
}

async function build(options: esbuild.BuildOptions): Promise<Bundle> {
  const base = { absWorkingDir: process.cwd(), outdir: 'out/pages', write: false, logLevel: 'warning' } as const;
  const { outputFiles } = await esbuild.build({ ...options, ...base });
  const textOf = (extension: string): string =>
    outputFiles.find(({ path: file }) => file.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

/** Builds what no other file of the run has built. The folder is new for each run. */
async function once(key: string, make: () => Promise<Bundle>): Promise<Bundle> {
  const folder = environmentVariable('BACKLINE_PAGE_BUNDLES');
  if (folder === undefined) return await make();
  const file = path.join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return Bundle.parse(JSON.parse(known));
  const made = await make();
  // Another process may read the file at any time.
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(made));
  await rename(unfinished, file);
  return made;
}
