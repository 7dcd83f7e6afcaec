// The process of one test file, which tells by its summary what it came to: its run's name, its tests' time in milliseconds, the bundle.
import { endWhenInterrupted } from './processes.mjs';
import { runMocha } from './runMocha.mjs';

endWhenInterrupted();
const [name = '', timeoutMs, file = ''] = process.argv.slice(2);
await runMocha(name, [file], { timeoutMs: Number(timeoutMs) });
// Not `exit`: that waits for every thread, and one may hang in a read that a test has left behind.
process.stdout.write('', () => process.kill(process.pid, 'SIGKILL'));
