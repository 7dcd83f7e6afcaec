// Runs test files that mostly wait for a window or a page: some at a time, each in a process of its own. Those that fail
// run again afterwards, one at a time.
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { runContained } from './processes.mjs';
import { say } from './progress.mjs';
import { combineRuns, describeSummary, hasFailed, resultOfFile } from './secondRun.mjs';
import { forgetSummary, isGood, readSummary, writeSummary } from './summary.mjs';
import { sourceOf } from './testFiles.mjs';

/** @typedef {import('./summary.mjs').FileResult} FileResult */

/**
 * Prints what each file has to say when it is through, writes the summary of all and ends the process. A single file
 * prints as it goes.
 * @param {string} name of the run
 * @param {readonly string[]} files bundled
 * @param {{ timeoutMs: number, maxSilentMs?: number, atOnce?: number, alone?: readonly string[], long?: readonly string[] }} options
 * `atOnce` files run beside each other; a file that prints nothing for `maxSilentMs` is killed and has failed; `alone` names files
 * that nothing runs beside, `long` those that begin first, so that none of them is left to run beside nothing
 * @returns {Promise<never>}
 */
export async function runFiles(
  name,
  files,
  { timeoutMs, maxSilentMs = 2 * timeoutMs, atOnce = 2, alone = [], long = [] },
) {
  const isOf = (/** @type {string} */ file, /** @type {readonly string[]} */ names) =>
    names.some((start) => path.basename(file).startsWith(`${start}.`));
  const isAlone = (/** @type {string} */ file) => isOf(file, alone);

  /** @type {(file: string, echo: boolean) => Promise<FileResult>} */
  const runOne = async (file, echo) => {
    const part = `${name}-${path.relative(inRoot('out', 'test'), file).replaceAll(path.sep, '-')}`;
    await forgetSummary(part);
    const args = [inRoot('scripts', 'lib', 'oneTestFile.mjs'), part, String(timeoutMs), file];
    const startedAt = performance.now();
    const { output } = await runContained(process.execPath, args, { cwd: inRoot(), echo, maxSilentMs });
    if (!echo) console.log(output);
    const summary = await readSummary(part);
    return resultOfFile(sourceOf(file), summary, (performance.now() - startedAt) / 1000);
  };
  /** @type {FileResult[]} */
  const first = [];
  const together = files.filter((file) => !isAlone(file));
  const queue = [...together.filter((file) => isOf(file, long)), ...together.filter((file) => !isOf(file, long))];
  const drain = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      first.push(await runOne(file, files.length === 1));
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
  for (const file of files.filter(isAlone)) first.push(await runOne(file, files.length === 1));

  /** @type {FileResult[]} */
  const second = [];
  const failed = first.filter(hasFailed).map(({ file }) => file);
  for (const file of files.filter((bundle) => failed.includes(sourceOf(bundle)))) {
    say(`\nRunning ${sourceOf(file)} again`);
    second.push(await runOne(file, true));
  }
  const summary = combineRuns(first, second);
  for (const line of describeSummary(summary)) console.log(line);
  await writeSummary(name, summary);
  process.exit(isGood(summary) ? 0 : 1);
}
