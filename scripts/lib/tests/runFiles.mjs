// Runs test files that mostly wait for a window or a page: some at a time, each in a process of its own. Those that fail
// run again afterwards, one at a time.
import path from 'node:path';
import { inRoot } from '../paths.mjs';
import { runContained } from '../processes.mjs';
import { say } from '../progress.mjs';
import { combineRuns, describeSummary, hasFailed, resultOfFile, resultsOf } from './secondRun.mjs';
import { forgetSummary, isGood, readSummary, writeSummary } from './summary.mjs';
import { sourceOf } from './testFiles.mjs';

/** @typedef {import('./summary.mjs').FileResult} FileResult */

/**
 * Prints what each file has to say when it is through, writes the summary of all and ends the process. A single file
 * prints as it goes.
 * @param {string} name of the run
 * @param {readonly string[]} files bundled
 * @param {object} options
 * @param {number} options.timeoutMs of a test
 * @param {number} [options.maxSilentMs] a file that prints nothing for that long is killed and has failed
 * @param {number} [options.atOnce] how many files run beside each other
 * @param {readonly string[]} [options.alone] names files that nothing runs beside
 * @param {readonly string[]} [options.long] names files that begin first, so that none of them is left to run beside nothing
 * @param {readonly (readonly string[])[]} [options.inOneProcess] the files of each list run one after the other in one process.
 * Those that run again run each by itself
 * @param {number} [options.filesAProcess] how many of the other files run in one process
 * @param {boolean} [options.isWhole] `files` are all that there are, so each of these names has to be one of theirs
 * @returns {Promise<never>}
 */
export async function runFiles(
  name,
  files,
  {
    timeoutMs,
    maxSilentMs = 2 * timeoutMs,
    atOnce = 2,
    alone = [],
    long = [],
    inOneProcess = [],
    filesAProcess = 1,
    isWhole = false,
  },
) {
  const isOf = (/** @type {string} */ file, /** @type {readonly string[]} */ names) =>
    names.some((start) => path.basename(file).startsWith(`${start}.`));
  const isAlone = (/** @type {string} */ file) => isOf(file, alone);
  const unknown = [...alone, ...long, ...inOneProcess.flat()].filter((one) => !files.some((file) => isOf(file, [one])));
  if (isWhole && unknown.length > 0) throw new Error(`No test file has the name ${unknown.join(', ')}`);

  /** @type {(files: readonly string[], echo: boolean) => Promise<FileResult[]>} */
  const runProcess = async (files, echo) => {
    const [first = ''] = files;
    const part = `${name}-${path.relative(inRoot('out', 'test'), first).replaceAll(path.sep, '-')}`;
    await forgetSummary(part);
    const args = [inRoot('scripts', 'lib', 'tests', 'testFilesProcess.mjs'), part, String(timeoutMs), ...files];
    const startedAt = performance.now();
    const { output } = await runContained(process.execPath, args, { cwd: inRoot(), echo, maxSilentMs });
    if (!echo) console.log(output);
    const summary = await readSummary(part);
    if (files.length === 1) return [resultOfFile(sourceOf(first), summary, (performance.now() - startedAt) / 1000)];
    const results = (summary?.files ?? []).map((result) => ({ ...result, file: sourceOf(result.file) }));
    return resultsOf(
      files.map(sourceOf),
      new Map(results.map((result) => [result.file, result])),
      summary !== undefined,
    );
  };
  /** @type {FileResult[]} */
  const first = [];
  const lists = inOneProcess.map((names) => names.flatMap((name) => files.filter((file) => isOf(file, [name]))));
  const others = files.filter((file) => !isAlone(file) && !lists.flat().includes(file));
  const processes = [...lists.filter((list) => list.length > 0), ...inParts(others, filesAProcess)];
  const isLong = (/** @type {readonly string[]} */ list) => list.some((file) => isOf(file, long));
  const queue = [...processes.filter(isLong), ...processes.filter((list) => !isLong(list))];
  const echo = files.length === 1;
  const drain = async () => {
    for (let list = queue.shift(); list !== undefined; list = queue.shift())
      first.push(...(await runProcess(list, echo)));
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
  for (const file of files.filter(isAlone)) first.push(...(await runProcess([file], echo)));

  /** @type {FileResult[]} */
  const second = [];
  const failed = first.filter(hasFailed).map(({ file }) => file);
  for (const file of files.filter((bundle) => failed.includes(sourceOf(bundle)))) {
    say(`\nRunning ${sourceOf(file)} again`);
    second.push(...(await runProcess([file], true)));
  }
  const summary = combineRuns(first, second);
  for (const line of describeSummary(summary)) console.log(line);
  await writeSummary(name, summary);
  process.exit(isGood(summary) ? 0 : 1);
}

/**
 * @param {readonly string[]} files
 * @param {number} most in a part
 */
function inParts(files, most) {
  return Array.from({ length: Math.ceil(files.length / most) }, (_, part) =>
    files.slice(part * most, (part + 1) * most),
  );
}
