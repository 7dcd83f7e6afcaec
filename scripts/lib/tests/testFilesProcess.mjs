// Runs test files in this process, and writes the summary of their results. Arguments: the name of the summary, the timeout of a test
// in milliseconds, the bundles.
import { endWhenInterrupted } from '../processes.mjs';
import { runMocha } from './runMocha.mjs';

endWhenInterrupted();
const [name = '', timeoutMs, ...files] = process.argv.slice(2);
await runMocha(name, files, { timeoutMs: Number(timeoutMs) });
// Not `exit`: that waits for every thread, and one may hang in a read that a test has left behind.
process.stdout.write('', () => process.kill(process.pid, 'SIGKILL'));
