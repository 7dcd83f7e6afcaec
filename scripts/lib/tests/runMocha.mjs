import Mocha from 'mocha';
import { stopChildren } from '../processes.mjs';
import { summaryOf } from './mochaSummary.mjs';
import { failOnViolations } from '../normalForm.mjs';
import { writeSummary } from './summary.mjs';

/**
 * Runs bundled test files in this process with the spec reporter and writes the summary of the run. The caller ends the
 * process: a test that leaves a socket or a timer behind must not keep it alive.
 * @param {string} name of the run
 * @param {readonly string[]} files
 * @param {{ timeoutMs: number }} options
 * @returns {Promise<import('./summary.mjs').Summary>}
 */
export async function runMocha(name, files, { timeoutMs }) {
  process.setSourceMapsEnabled(true);
  const mocha = new Mocha({ ui: 'bdd', timeout: timeoutMs, forbidOnly: true });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  failOnViolations(mocha);
  const summary = await summaryOf(mocha);
  await writeSummary(name, summary);
  await stopChildren();
  return summary;
}
