import { readdirSync, readFileSync } from 'node:fs';

interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
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

/** Returns the process groups of all descendants of `leader` that have other groups than it and this process. */
export function descendantGroupsOf(leader: number, processes: readonly ProcessInfo[]): number[] {
  const childrenByParent = Map.groupBy(processes, ({ parentPid }) => parentPid);
  const groups = new Set<number>();
  const seen = new Set([leader]);
  // A set is iterated over what is added meanwhile, too.
  for (const parent of seen) {
    for (const { pid, groupId } of childrenByParent.get(parent) ?? []) {
      seen.add(pid);
      groups.add(groupId);
    }
  }
  groups.delete(leader);
  groups.delete(processes.find(({ pid }) => pid === process.pid)?.groupId ?? 0);
  return [...groups];
}

function readProcessInfo(pid: string): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The format is "pid (name) state parent group …". The name can contain spaces and parentheses.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = state === 'Z' || state === 'X';
    return { pid: Number(pid), parentPid: Number(parent), groupId: Number(group), isZombie };
  } catch {
    return undefined;
  }
}
