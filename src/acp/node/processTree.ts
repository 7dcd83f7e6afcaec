import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../../base/common/async';
import { errorCode } from '../../base/common/errors';

/**
 * Spawn options that make the child the leader of a process group of its own, so that it and what it starts can be
 * ended together. The functions below take the pid of such a leader. Windows has no groups; there the tree is walked.
 */
export const ownGroup = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** What it took until nothing of the tree was left. `stillRunning` when not even SIGKILL was enough. */
export type TreeEnd = 'gone' | 'terminated' | 'killed' | 'stillRunning';

const firstPollMs = 25;
const maxPollMs = 200;

/**
 * Asks the whole tree to end, kills it after `graceMs`, and looks whether that worked. `others` are groups of it that
 * were found before, with `groupsBelow`. Never rejects.
 */
export async function endTree(
  leader: number,
  graceMs: number,
  clock: Clock,
  others: readonly number[] = [],
): Promise<TreeEnd> {
  const groups = [...new Set([leader, ...others, ...groupsBelow(leader)])];
  if (!isAnyAlive(groups)) return 'gone';
  if (process.platform !== 'win32') {
    signalGroups(groups, 'SIGTERM');
    if (await areGoneWithin(groups, graceMs, clock)) return 'terminated';
    signalGroups(groups, 'SIGKILL');
  } else {
    // Programs without a window cannot be asked: taskkill without /F does nothing to them.
    await new Promise<void>((resolve) => {
      execFile('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: graceMs }, () => resolve());
    });
  }
  return (await areGoneWithin(groups, graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** For the end of this process, when nothing can be awaited any more. */
export function killTreeNow(leader: number, others: readonly number[] = []): void {
  if (process.platform === 'win32') spawnSync('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: 2_000 });
  else signalGroups(new Set([leader, ...others, ...groupsBelow(leader)]), 'SIGKILL');
}

/** Zombies do not count. On Windows only the leader is looked at. */
export function isTreeAlive(leader: number): boolean {
  return isAnyAlive([leader]);
}

/**
 * The groups that descendants of `leader` have made for themselves, as an agent does for its commands. Only on Linux, and
 * only as long as the parents live: whom they leave behind belongs to nobody.
 */
export function groupsBelow(leader: number): number[] {
  if (process.platform !== 'linux') return [];
  const all = processes() ?? [];
  const family = new Set([leader]);
  const groups = new Set<number>();
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const { pid, parent, group } of all) {
      if (!family.has(parent)) continue;
      family.add(pid);
      // A child that has not made one yet is in its parent's.
      if (family.has(group) && group !== leader) groups.add(group);
    }
  }
  return [...groups];
}

async function areGoneWithin(groups: readonly number[], limitMs: number, clock: Clock): Promise<boolean> {
  const endMs = clock.monotonicNow() + limitMs;
  for (let delayMs = firstPollMs; isAnyAlive(groups); delayMs = Math.min(2 * delayMs, maxPollMs)) {
    const leftMs = endMs - clock.monotonicNow();
    if (leftMs <= 0) return false;
    await new Promise<void>((resolve) => clock.setTimer(Math.min(delayMs, leftMs), resolve));
  }
  return true;
}

function isAnyAlive(groups: readonly number[]): boolean {
  const reached = groups.filter(isReached);
  if (process.platform !== 'linux' || reached.length === 0) return reached.length > 0;
  // In a container whose first process does not collect orphans, killed grandchildren stay as zombies for ever, and
  // signal 0 still reaches them.
  const members = new Set(reached);
  return processes()?.some(({ group, isZombie }) => members.has(group) && !isZombie) ?? true;
}

function isReached(leader: number): boolean {
  try {
    return process.kill(process.platform === 'win32' ? leader : -leader, 0);
  } catch (error) {
    // The members are there but another user's. macOS says so of zombies.
    return errorCode(error) === 'EPERM' && process.platform !== 'darwin';
  }
}

function signalGroups(groups: Iterable<number>, signal: NodeJS.Signals): void {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch {
      // It is gone, or not ours; the caller looks at what is left.
    }
  }
}

const taskkillArgs = (leader: number): string[] => ['/pid', String(leader), '/T', '/F'];

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isZombie: boolean;
}

/** Of Linux; undefined where it does not show them. */
function processes(): ProcessFacts[] | undefined {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => factsOf(pid) ?? []);
  } catch {
    return undefined;
  }
}

function factsOf(pid: string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state parent group …": the name may hold spaces and parentheses.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = state === 'Z' || state === 'X';
    return { pid: Number(pid), parent: Number(parent), group: Number(group), isZombie };
  } catch {
    return undefined;
  }
}
