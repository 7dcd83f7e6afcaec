import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly isZombie: boolean;
}

/** Lists all processes. Undefined without /proc, which only Linux has. */
export function listProcesses(): ProcessInfo[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readProcessInfo(pid) ?? []);
  } catch {
    return undefined;
  }
}

/** Whether a process was started with `name=value` in its environment. False if the environment cannot be read. */
export function hasEnvironmentVariable(pid: number, name: string, value: string): boolean {
  return readNulSeparated(`/proc/${pid}/environ`).includes(`${name}=${value}`);
}

/** Returns the program and its arguments. Empty if they cannot be read. */
export function commandLineOf(pid: number): string[] {
  return readNulSeparated(`/proc/${pid}/cmdline`);
}

/** Returns the real user id of a process. Undefined if it cannot be read. */
export function userIdOf(pid: number): number | undefined {
  try {
    const real = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return real === undefined ? undefined : Number(real);
  } catch {
    return undefined;
  }
}

function readProcessInfo(pid: string): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The format is "pid (name) state parent group session …". The name can contain spaces and parentheses.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = state === 'Z' || state === 'X';
    return {
      pid: Number(pid),
      parentPid: Number(parent),
      groupId: Number(group),
      sessionId: Number(session),
      isZombie,
    };
  } catch {
    return undefined;
  }
}

function readNulSeparated(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\0');
  } catch {
    return [];
  }
}
