// Runs test files that need no window: some processes, each of which takes the next file as soon as it is through with one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { inRoot } from '../paths.mjs';
import { combineRuns, describeSummary, resultOfFile } from './secondRun.mjs';
import { isGood, writeSummary } from './summary.mjs';
import { sourceOf } from './testFiles.mjs';

/** @typedef {import('./summary.mjs').FileResult} FileResult */
/**
 * @typedef {{ printed: string, summary: import('./summary.mjs').Summary, isFull: boolean }} Ran what a process of the pool answers
 * to the path of a bundle; one that is full takes no further one
 */

/**
 * Prints what each file has to say when it is through, writes the summary of all and ends the process. Nothing runs twice:
 * the file at which a process ends has failed, and another process takes those behind it.
 * @param {string} name of the run
 * @param {readonly string[]} files bundled
 * @param {{ timeoutMs: number, maxFileMs: number, processes: number }} options a test has `timeoutMs`, a file `maxFileMs` before its
 * process is killed
 * @returns {Promise<never>}
 */
export async function runPool(name, files, { timeoutMs, maxFileMs, processes }) {
  /** @type {FileResult[]} */
  const results = [];
  const queue = [...files];

  /** Until the queue is empty, or the process is full or has ended. */
  const drain = async () => {
    const child = fork(inRoot('scripts', 'lib', 'tests', 'poolProcess.mjs'), [String(timeoutMs)], { execArgv: [] });
    const ended = once(child, 'exit').then(() => undefined);
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const source = sourceOf(file);
      const startedAt = performance.now();
      const answered = once(child, 'message').then((message) => /** @type {[Ran]} */ (message)[0]);
      child.send(file, () => undefined);
      const deadline = setTimeout(() => child.kill('SIGKILL'), maxFileMs);
      const ran = await Promise.race([answered, ended]);
      clearTimeout(deadline);
      const seconds = (performance.now() - startedAt) / 1000;
      if (ran) process.stdout.write(ran.printed);
      else console.error(`The process of ${source} ended (${child.signalCode ?? child.exitCode})`);
      results.push(resultOfFile(source, ran?.summary, seconds));
      if (!ran) return;
      if (ran.isFull) break;
    }
    child.disconnect();
    await ended;
  };
  const lane = async () => {
    while (queue.length > 0) await drain();
  };
  await Promise.all(Array.from({ length: Math.min(processes, files.length) }, lane));
  const summary = combineRuns(results, []);
  for (const line of describeSummary(summary)) console.log(line);
  await writeSummary(name, summary);
  process.exit(isGood(summary) ? 0 : 1);
}
