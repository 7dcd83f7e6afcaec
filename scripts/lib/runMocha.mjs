import Mocha from 'mocha';
import { stopChildren } from './processes.mjs';
import { writeSummary } from './summary.mjs';

/**
 * Runs bundled test files in this process with the spec reporter, writes the summary of the run and ends the process:
 * a test that leaves a socket, a timer or a process behind must not keep it alive.
 * @param {string} name of the run
 * @param {readonly string[]} files
 * @param {{ timeoutMs: number }} options
 * @returns {Promise<never>}
 */
export async function runMocha(name, files, { timeoutMs }) {
  process.setSourceMapsEnabled(true);
  const mocha = new Mocha({ ui: 'bdd', timeout: timeoutMs, forbidOnly: true });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  /** @type {import('./summary.mjs').Summary} */
  const summary = await new Promise((resolve) => {
    const runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      resolve({ passes, failures, pending });
    });
  });
  await writeSummary(name, summary);
  await stopChildren();
  process.exit(summary.failures + summary.pending === 0 ? 0 : 1);
}
