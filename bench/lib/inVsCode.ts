import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { chooseRunner } from '../../scripts/lib/tests/hostRunners.mjs';
import { inRoot, root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/processes.mjs';
import { followResults } from '../../scripts/lib/tests/results.mjs';
import { makeSandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { scriptsStayInPlace } from '../../scripts/lib/tests/testFiles.mjs';

/**
 * Runs `bench/host/<name>.ts` inside a real VS Code whose workspace has these files as well, and prints its lines.
 * @throws Error if it fails or does not end in time
 */
export async function runInVsCode(name: string, files: ReadonlyMap<string, string> = new Map()): Promise<void> {
  const { code, output } = await run(process.execPath, ['esbuild.mjs'], { cwd: root });
  if (code !== 0) throw new Error(`The extension was not built:\n${output}`);
  const entry = inRoot('out', 'bench', 'host', `${name}.js`);
  await build({
    absWorkingDir: root,
    entryPoints: [path.join('bench', 'host', `${name}.ts`)],
    outfile: entry,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    external: ['vscode'],
    plugins: [scriptsStayInPlace('cjs')],
    define: { BACKLINE_DEBUG: 'false' },
    logLevel: 'warning',
  });
  const sandbox = await makeSandbox();
  try {
    for (const [file, text] of files) {
      const target = path.join(sandbox.workspace, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    const results = path.join(sandbox.folder, 'results.jsonl');
    await writeFile(results, '');
    sandbox.env['BACKLINE_TEST_RESULTS'] = results;
    const vscode = await (await chooseRunner()).start(sandbox, entry);
    try {
      await followResults(results, vscode.ended, printLine, () => undefined);
    } catch (error) {
      throw new Error(`The bench did not finish in VS Code.\n${vscode.log()}`, { cause: error });
    } finally {
      await vscode.stop();
    }
  } finally {
    await sandbox.remove();
  }
}

/** Only results go to stdout. */
function printLine(line: string): void {
  if (line.startsWith('{')) console.log(line);
  else console.error(line);
}
