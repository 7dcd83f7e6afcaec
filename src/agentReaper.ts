import { createInterface } from 'node:readline';
import { ProcessTree } from './acp/node/process/processTree';

/**
 * `dist/agent-reaper.js`: ends agents after the extension host has exited. Reads lines from stdin: `+group` adds the
 * process tree of a group's leader and `-group` removes it. When stdin closes, all processes of the trees get SIGTERM, and
 * SIGKILL after a delay.
 */
const graceMs = 1_500;
const trees = new Map<number, ProcessTree>();

/** Sends a signal to all processes. Returns whether there were any. */
function signalAll(signal: NodeJS.Signals): boolean {
  return [...trees.values()].filter((tree) => tree.signal(signal)).length > 0;
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [, sign, digits] = /^([+-])(\d+)$/.exec(line) ?? [];
  const group = Number(digits);
  // 1 is not allowed, because `kill(-1)` would signal all processes of the user.
  if (!Number.isSafeInteger(group) || group <= 1) return;
  if (sign === '+') trees.set(group, new ProcessTree(group));
  else trees.delete(group);
});
lines.on('close', () => {
  if (signalAll('SIGTERM')) setTimeout(() => signalAll('SIGKILL'), graceMs);
});
