import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly isZombie: boolean;
}

/** Lists all processes; undefined if /proc is unavailable, as outside Linux. */
export function processes(): ProcessFacts[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => factsOf(pid) ?? []);
  } catch {
    return undefined;
  }
}

/** Whether a process was started with `name=value` in its environment; false if that cannot be read. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  return listIn(`/proc/${pid}/environ`).includes(`${name}=${value}`);
}

/** The program and its arguments; empty if unreadable. */
export function commandLineOf(pid: number): string[] {
  return listIn(`/proc/${pid}/cmdline`);
}

/** Real user id of a process; undefined if unreadable. */
export function userOf(pid: number): number | undefined {
  try {
    const real = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return real === undefined ? undefined : Number(real);
  } catch {
    return undefined;
  }
}

function factsOf(pid: string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state parent group session …": the name may hold spaces and parentheses.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = state === 'Z' || state === 'X';
    return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session), isZombie };
  } catch {
    return undefined;
  }
}

function listIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\0');
  } catch {
    return [];
  }
}
