import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readJson } from './json.mjs';
import { root } from './paths.mjs';

/**
 * Writes the licences of the packages that ended up in the bundles, as those licences ask.
 * @param {string} file
 * @param {readonly import('esbuild').Metafile[]} metafiles
 */
export async function writeNotices(file, metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs: used }) => Object.keys(used)),
  );
  const packages = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const notices = await Promise.all([...new Set(packages)].sort().map(noticeOf));
  const head = 'Backline contains these packages, each under its own license.\n';
  await writeFile(file, [head, ...notices].join(`\n${'-'.repeat(80)}\n\n`));
}

/**
 * @param {string} folder relative to the root
 * @throws {Error} for a package without a licence file, which must not be shipped unseen
 */
async function noticeOf(folder) {
  const absolute = path.join(root, folder);
  /** @type {{ name: string, version: string, license: string }} */
  const { name, version, license } = await readJson(path.join(absolute, 'package.json'));
  const licence = (await readdir(absolute)).find((entry) => /^licen[cs]e/i.test(entry));
  if (licence === undefined) throw new Error(`${folder} has no licence file`);
  return `${name} ${version} (${license})\n\n${(await readFile(path.join(absolute, licence), 'utf8')).trim()}\n`;
}
