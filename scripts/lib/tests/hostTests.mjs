import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeCertificate } from '../certificate.mjs';
import { inRoot } from '../paths.mjs';
import { run } from '../processes.mjs';
import { chooseRunner } from './hostRunners.mjs';
import { say } from '../progress.mjs';
import { followResults } from './results.mjs';
import { combineRuns, describeSummary, hasFailed, resultsOf } from './secondRun.mjs';
import { forgetSummary, isGood, writeSummary } from './summary.mjs';
import { bundleTests, sourceOf } from './testFiles.mjs';
import { makeSandbox } from '../vscode/sandbox.mjs';

/** @typedef {import('./summary.mjs').FileResult} FileResult */

/**
 * All files run in one VS Code; those that fail run again, in a fresh one.
 * @param {readonly string[]} filters
 * @returns {Promise<number>} exit code
 */
export async function runHostTests(filters) {
  await forgetSummary('host');
  const build = await run(process.execPath, ['esbuild.mjs'], { cwd: inRoot(), echo: true });
  if (build.code !== 0) return 1;
  const tests = await bundleTests({
    from: 'test/host',
    to: 'out/test/host',
    filters,
    also: ['index.ts', 'support/extendedDemoAgent.ts'],
    esbuild: { external: ['vscode'] },
  });
  if (tests.length === 0) {
    say(`No file below test/host matches ${filters.join(', ')}`);
    return 1;
  }
  const runner = await chooseRunner();
  const first = await runInside(runner, tests);
  const failed = first.filter(hasFailed).map(({ file }) => file);
  const again = tests.filter((test) => failed.includes(sourceOf(test)));
  if (again.length > 0) say(`Running again: ${failed.join(', ')}`);
  const summary = combineRuns(first, again.length > 0 ? await runInside(runner, again) : []);
  for (const line of describeSummary(summary)) console.log(line);
  await writeSummary('host', summary);
  return isGood(summary) ? 0 : 1;
}

/**
 * Runs test files inside a VS Code that is started and stopped for them.
 * @param {import('./hostRunners.mjs').HostRunner} runner
 * @param {readonly string[]} tests bundled
 * @returns {Promise<FileResult[]>} one for each of the files
 */
async function runInside(runner, tests) {
  const sandbox = await makeSandbox();
  try {
    await cp(inRoot('test/fixtures/extensions'), sandbox.extensionsDir, { recursive: true });
    const results = path.join(sandbox.folder, 'results.jsonl');
    await writeFile(results, '');
    sandbox.env['BACKLINE_TEST_RESULTS'] = results;
    sandbox.env['BACKLINE_TEST_WORKSPACE'] = sandbox.workspace;
    // Node.js only reads this variable when it starts.
    sandbox.env['NODE_EXTRA_CA_CERTS'] = await writeCertificate(sandbox.folder);
    sandbox.env['BACKLINE_TEST_FILES'] = tests.join(path.delimiter);
    const files = tests.map(sourceOf);
    /** @type {Map<string, FileResult>} */
    const seen = new Map();
    const ended = await follow(runner, sandbox, results, (result) => {
      const file = sourceOf(result.file);
      seen.set(file, { ...result, file });
    });
    const all = resultsOf(files, seen, ended);
    if (all.some(hasFailed)) console.error(await extensionLog(sandbox.dataDir));
    return all;
  } finally {
    await sandbox.remove();
  }
}

/**
 * Writes the certificate that the VS Code under test trusts, and beside it its key.
 * @param {string} folder
 * @returns {Promise<string>} the path of the certificate
 */
async function writeCertificate(folder) {
  const { cert, key } = await makeCertificate({ host: 'DNS:trusted.backline.test,IP:127.0.0.1' });
  const file = path.join(folder, 'trusted.pem');
  await writeFile(file, cert);
  await writeFile(`${file}.key`, key, { mode: 0o600 });
  return file;
}

/**
 * Prints what the tests say.
 * @param {import('./hostRunners.mjs').HostRunner} runner
 * @param {import('../vscode/sandbox.mjs').Sandbox} sandbox
 * @param {string} results the file that the tests write to
 * @param {(result: FileResult) => void} onResult
 * @returns {Promise<boolean>} whether the run has finished
 */
async function follow(runner, sandbox, results, onResult) {
  /** @type {import('./hostRunners.mjs').RunningTests | undefined} */
  let vscode;
  try {
    vscode = await runner.start(sandbox, inRoot('out', 'test', 'host', 'index.js'));
    await followResults(results, vscode.ended, (line) => console.log(line), onResult);
    return true;
  } catch (error) {
    console.error(`\nThe host tests did not come to their end: ${String(error)}\n${vscode?.log() ?? ''}`);
    return false;
  } finally {
    await vscode?.stop();
  }
}

/**
 * What the extension wrote to its output channel: a failed test often says no more than that it is there.
 * @param {string} dataDir
 */
async function extensionLog(dataDir) {
  const logs = [];
  for await (const file of glob(path.join(dataDir, '**', 'Backline.log'))) logs.push(await readFile(file, 'utf8'));
  return `--- output channel Backline\n${logs.join('')}`;
}
