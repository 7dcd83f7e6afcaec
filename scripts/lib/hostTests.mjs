import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { run } from './processes.mjs';
import { chooseRunner } from './hostRunners.mjs';
import { say } from './progress.mjs';
import { followResults } from './results.mjs';
import { forgetSummary, isGood, writeSummary } from './summary.mjs';
import { bundleTests } from './testFiles.mjs';
import { makeSandbox } from './sandbox.mjs';

/**
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
    also: ['index.ts'],
    esbuild: { external: ['vscode'] },
  });
  if (tests.length === 0) {
    say(`No file below test/host matches ${filters.join(', ')}`);
    return 1;
  }
  const runner = await chooseRunner();
  const sandbox = await makeSandbox();
  try {
    const results = path.join(sandbox.folder, 'results.jsonl');
    await writeFile(results, '');
    sandbox.env['BACKLINE_TEST_RESULTS'] = results;
    sandbox.env['BACKLINE_TEST_WORKSPACE'] = sandbox.workspace;
    const vscode = await runner.start(sandbox, inRoot('out', 'test', 'host', 'index.js'));
    try {
      const summary = await followResults(results, vscode.ended, (line) => console.log(line));
      await writeSummary('host', summary);
      if (isGood(summary)) return 0;
      console.error(await extensionLog(sandbox.dataDir));
      return 1;
    } catch (error) {
      console.error(`\nThe host tests did not come to their end: ${String(error)}\n${vscode.log()}`);
      console.error(await extensionLog(sandbox.dataDir));
      return 1;
    } finally {
      await vscode.stop();
    }
  } finally {
    await sandbox.remove();
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
