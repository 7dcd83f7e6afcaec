// The process of one test file: its run's name, its tests' time in milliseconds, the bundle.
import { endWhenInterrupted } from './processes.mjs';
import { runMocha } from './runMocha.mjs';

endWhenInterrupted();
const [name = '', timeoutMs, file = ''] = process.argv.slice(2);
await runMocha(name, [file], { timeoutMs: Number(timeoutMs) });
