import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { inRoot, root } from '../paths.mjs';
import { during, say } from '../progress.mjs';
import { findFiles, scriptsStayInPlace } from '../tests/testFiles.mjs';
import { findMutants } from './mutants.mjs';
import { describeScore, describeSurvivor } from './report.mjs';
import { sample } from './sample.mjs';
import { withSwitches } from './switches.mjs';
import { testFilesOf } from './testFilesOf.mjs';
import { Trials } from './trials.mjs';

/** @typedef {import('./switches.mjs').NumberedMutant} NumberedMutant */
/** @typedef {import('./testFilesOf.mjs').TestBundle} TestBundle */

/**
 * Prints the mutants of a feature that no unit test notices, then the score. Sources stay as they are: mutants exist only in
 * bundles below out/mutate.
 * @param {object} options
 * @param {string} options.feature a folder of src
 * @param {readonly string[]} options.filters only sources whose path contains one of these; all without any
 * @param {number} options.limit at most so many mutants
 * @param {number} options.seed chooses among them
 * @param {string} options.folder an empty one, for all that mutants write
 * @throws {Error} when there is no such source
 */
export async function mutateFeature({ feature, filters, limit, seed, folder }) {
  const all = await mutantsOf(feature, filters);
  if (all.length === 0) throw new Error(`Nothing to change below src/${feature} ${filters.join(' ')}`);
  const mutants = sample(all, limit, seed).map((mutant, number) => ({ number, mutant }));
  const bundles = await during('Bundling the tests with all mutants', 'seconds', () => bundleTests(feature, mutants));
  const trials = new Trials(environmentIn(folder), say);
  try {
    await mkdir(path.join(folder, 'home'));
    const verdicts = [];
    for (const { number, mutant } of mutants) {
      const verdict = await trials.judge(number, testFilesOf(mutant.file, bundles));
      verdicts.push(verdict);
      if (verdict.outcome === 'survived') console.log(describeSurvivor(mutant, verdict.isReached));
      if (verdicts.length % 50 === 0) say(`  … ${verdicts.length} of ${mutants.length}`);
    }
    console.log(describeScore(verdicts));
  } finally {
    await trials.stop();
  }
}

/**
 * @param {string} feature
 * @param {readonly string[]} filters
 */
async function mutantsOf(feature, filters) {
  const sources = (await findFiles(`src/${feature}`, '.ts', filters)).map((file) => file.replaceAll(path.sep, '/'));
  const mutable = sources.filter((file) => /\/(?:common|node)\//.test(file));
  const found = await Promise.all(mutable.map(async (file) => findMutants(file, await readFile(inRoot(file), 'utf8'))));
  return found.flat();
}

/**
 * @param {string} feature
 * @param {readonly NumberedMutant[]} mutants
 * @returns {Promise<TestBundle[]>}
 */
async function bundleTests(feature, mutants) {
  const outdir = `out/mutate/${feature}`;
  await rm(inRoot(outdir), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: await findFiles('test/unit', '.test.ts', []),
    outbase: '.',
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    metafile: true,
    logLevel: 'warning',
    plugins: [scriptsStayInPlace('cjs'), mutantsInSources(mutants)],
  });
  return Object.entries(metafile.outputs).map(([output, { entryPoint = '', inputs }]) => ({
    test: entryPoint,
    bundle: inRoot(output),
    sources: Object.keys(inputs),
  }));
}

/**
 * @param {readonly NumberedMutant[]} mutants
 * @returns {import('esbuild').Plugin}
 */
function mutantsInSources(mutants) {
  const byFile = Map.groupBy(mutants, ({ mutant }) => inRoot(mutant.file));
  return {
    name: 'mutants in sources',
    setup(build) {
      build.onLoad({ filter: /[\\/](?:common|node)[\\/].*\.ts$/ }, async ({ path: file }) => {
        const own = byFile.get(file);
        return own && { contents: withSwitches(await readFile(file, 'utf8'), own), loader: 'ts' };
      });
    },
  };
}

/**
 * A mutant may write or delete where the program would not: it gets a home and a folder for temporary files of its own.
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
function environmentIn(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:XDG_|VSCODE_|AMP_|npm_)/.test(name));
  const home = path.join(folder, 'home');
  return { ...Object.fromEntries(inherited), HOME: home, USERPROFILE: home, TMPDIR: folder, TMP: folder, TEMP: folder };
}
