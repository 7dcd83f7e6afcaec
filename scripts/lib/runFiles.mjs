// Runs test files that mostly wait for a window or a page: two at a time, each in a process of its own.
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { run } from './processes.mjs';
import { forgetSummary, isGood, readSummary, writeSummary } from './summary.mjs';

/**
 * Prints what each file has to say when it is through, writes the summary of all and ends the process. A single file
 * prints as it goes.
 * @param {string} name of the run
 * @param {readonly string[]} files bundled
 * @param {{ timeoutMs: number, alone?: readonly string[] }} options `alone` names files that nothing runs beside
 * @returns {Promise<never>}
 */
export async function runFiles(name, files, { timeoutMs, alone = [] }) {
  const isAlone = (/** @type {string} */ file) => alone.some((start) => path.basename(file).startsWith(`${start}.`));
  /** @type {import('./summary.mjs').Summary} */
  const all = { passes: 0, failures: 0, pending: 0, failed: [] };

  const runOne = async (/** @type {string} */ file) => {
    const part = `${name}-${path.relative(inRoot('out', 'test'), file).replaceAll(path.sep, '-')}`;
    await forgetSummary(part);
    const echo = files.length === 1;
    const args = [inRoot('scripts', 'lib', 'oneTestFile.mjs'), part, String(timeoutMs), file];
    const { output } = await run(process.execPath, args, { cwd: inRoot(), echo });
    if (!echo) console.log(output);
    const summary = await readSummary(part);
    all.passes += summary?.passes ?? 0;
    all.failures += summary?.failures ?? 1;
    all.pending += summary?.pending ?? 0;
    all.failed.push(...(summary?.failed ?? [`${part}: it did not come to its end`]));
  };
  const queue = files.filter((file) => !isAlone(file));
  const drain = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await runOne(file);
  };
  await Promise.all([drain(), drain()]);
  for (const file of files.filter(isAlone)) await runOne(file);

  console.log(`${all.passes} passing, ${all.failures} failing`);
  for (const test of all.failed) console.log(`  ${test}`);
  await writeSummary(name, all);
  process.exit(isGood(all) ? 0 : 1);
}
