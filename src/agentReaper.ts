import { createInterface } from 'node:readline';

/**
 * `dist/agent-reaper.js`: reads lines, `+group` for a process group to watch and `-group` for one that is gone. When its
 * input ends, so has whoever started it: what is left is asked to end, and killed a little later.
 */
const graceMs = 1_500;
const groups = new Set<number>();

function signalAll(signal: NodeJS.Signals): void {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch {
      groups.delete(group);
    }
  }
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [, sign, digits] = /^([+-])(\d+)$/.exec(line) ?? [];
  const group = Number(digits);
  // -1 would be everybody's.
  if (!Number.isSafeInteger(group) || group <= 1) return;
  if (sign === '+') groups.add(group);
  else groups.delete(group);
});
lines.on('close', () => {
  signalAll('SIGTERM');
  if (groups.size > 0) setTimeout(() => signalAll('SIGKILL'), graceMs);
});
