import { createInterface } from 'node:readline';
import { ProcessTree } from './acp/node/process/processTree';

/**
 * `dist/agent-reaper.js`: reads lines, `+group mark` for a process group to watch and `-group` for one that is gone. When
 * its input ends, so has the program that started it: what is left of the groups, or carries their marks, is asked to end,
 * and killed a little later.
 */
const graceMs = 1_500;
const trees = new Map<number, ProcessTree>();

/** Whether there was anything to signal. */
function signalAll(signal: NodeJS.Signals): boolean {
  return [...trees.values()].filter((tree) => tree.signal(signal)).length > 0;
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [, sign, digits, mark = ''] = /^([+-])(\d+)(?: (\S+))?$/.exec(line) ?? [];
  const group = Number(digits);
  // -1 would be everybody's.
  if (!Number.isSafeInteger(group) || group <= 1) return;
  if (sign === '+') trees.set(group, new ProcessTree(group, mark === '' ? {} : { mark }));
  else trees.delete(group);
});
lines.on('close', () => {
  if (signalAll('SIGTERM')) setTimeout(() => signalAll('SIGKILL'), graceMs);
});
