import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs the bench's own bundle in a role, in a fresh process, to its end. Resolves to what it told its parent. */
export async function runRole(role: string, ...args: string[]): Promise<unknown> {
  const child = fork(__filename, [role, ...args], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let told: unknown;
  child.on('message', (message) => (told = message));
  const timer = setTimeout(() => child.kill(), 120_000);
  await once(child, 'exit');
  clearTimeout(timer);
  if (told === undefined) throw new Error(`The ${role} of the bench told nothing.`);
  return told;
}
