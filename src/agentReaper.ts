import { createInterface } from 'node:readline';
import { MarkedGroups } from './acp/node/processMarks';

/**
 * `dist/agent-reaper.js`: reads lines, `+group mark` for a process group to watch and `-group` for one that is gone. When
 * its input ends, so has the program that started it: what is left of the groups, or carries their marks, is asked to end,
 * and killed a little later.
 */
const graceMs = 1_500;
const marks = new Map<number, string>();

/** Whether there was anything to signal. */
function signalAll(signal: NodeJS.Signals): boolean {
  const found = [...marks].flatMap(([group, mark]) => [group, ...(mark === '' ? [] : new MarkedGroups(mark).find())]);
  return [...new Set(found)].filter((group) => isSignalled(group, signal)).length > 0;
}

function isSignalled(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [, sign, digits, mark = ''] = /^([+-])(\d+)(?: (\S+))?$/.exec(line) ?? [];
  const group = Number(digits);
  // -1 would be everybody's.
  if (!Number.isSafeInteger(group) || group <= 1) return;
  if (sign === '+') marks.set(group, mark);
  else marks.delete(group);
});
lines.on('close', () => {
  if (signalAll('SIGTERM')) setTimeout(() => signalAll('SIGKILL'), graceMs);
});
