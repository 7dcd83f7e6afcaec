// A process of a pool (runPool.mjs): runs each bundle whose path it is sent, answers with the results, and ends with the pool.
import Mocha from 'mocha';
import { format } from 'node:util';
import { summaryOf } from './mochaSummary.mjs';
import { failOnViolations } from '../normalForm.mjs';
import { endWhenInterrupted, stopChildren } from '../processes.mjs';

/** With more, another process takes the next file: V8 would soon do nothing but look for memory that is free. */
const maxBytes = 768 * 1024 * 1024;
const timeout = Number(process.argv[2]);
process.setSourceMapsEnabled(true);
endWhenInterrupted();
process.on('message', (/** @type {string} */ file) => void runFile(file));
// Not `exit`: that waits for every thread, and one may hang in a read that a test has left behind.
process.on('disconnect', () => void stopChildren().finally(() => process.kill(process.pid, 'SIGKILL')));

/** @param {string} file */
async function runFile(file) {
  let printed = '';
  Mocha.reporters.Base.consoleLog = (/** @type {unknown[]} */ ...args) => {
    printed += `${format(...args)}\n`;
  };
  const mocha = new Mocha({ ui: 'bdd', timeout, forbidOnly: true });
  mocha.addFile(file);
  await mocha.loadFilesAsync();
  failOnViolations(mocha);
  const summary = await summaryOf(mocha);
  // What a file has loaded is needed no longer.
  mocha.unloadFiles();
  // Else its listener of unhandled rejections stays, and a hundred of them pass each other's events on for ever.
  mocha.dispose();
  process.send?.({ printed, summary, isFull: process.memoryUsage.rss() > maxBytes });
}
