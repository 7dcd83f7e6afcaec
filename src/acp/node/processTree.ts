import { execFile, spawnSync } from 'node:child_process';
import type { Clock } from '../../base/common/async';
import { errorCode } from '../../base/common/errors';
import { processes } from './linuxProcesses';
import { MarkedGroups } from './processMarks';

/**
 * Spawn options that make the child the leader of a process group of its own, so that it and what it starts can be
 * ended together. The functions below take the pid of such a leader. Windows has no groups; there the tree is walked.
 */
export const ownGroup = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** What it took until nothing of the tree was left. `stillRunning` when not even SIGKILL was enough. */
export type TreeEnd = 'gone' | 'terminated' | 'killed' | 'stillRunning';

const firstPollMs = 25;
const maxPollMs = 200;

/** Where else to look for what belongs to a tree. */
export interface MoreOfTree {
  /** Groups of it that were found before, with `groupsBelow`. */
  readonly others?: readonly number[];
  /** That its processes were started with; see `processMarks.ts`. */
  readonly mark?: string;
}

/** Asks the whole tree to end, kills it after `graceMs`, and looks whether that worked. Never rejects. */
export async function endTree(leader: number, graceMs: number, clock: Clock, more: MoreOfTree = {}): Promise<TreeEnd> {
  const tree = new Tree(leader, more);
  if (process.platform !== 'win32') return endGroups(tree, graceMs, clock);
  if (!isAnyAlive(tree.groups())) return 'gone';
  // Programs without a window cannot be asked: taskkill without /F does nothing to them.
  await new Promise<void>((resolve) => {
    execFile('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: graceMs }, () => resolve());
  });
  return (await tree.endsBy(undefined, graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** The same for whatever was started with this mark and has left its tree. Only on Linux is there anything to find. */
export async function endMarked(mark: string, graceMs: number, clock: Clock): Promise<TreeEnd> {
  return endGroups(new Tree(undefined, { mark }), graceMs, clock);
}

export function killMarkedNow(mark: string): void {
  signalGroups(new MarkedGroups(mark).find(), 'SIGKILL');
}

/** For the end of this process, when nothing can be awaited any more. */
export function killTreeNow(leader: number, more: MoreOfTree = {}): void {
  if (process.platform === 'win32') spawnSync('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: 2_000 });
  else signalGroups(new Tree(leader, more).groups(), 'SIGKILL');
}

/** Zombies do not count. On Windows only the leader is looked at. */
export function isTreeAlive(leader: number): boolean {
  return isAnyAlive([leader]);
}

/**
 * The groups that descendants of `leader` have made for themselves, as an agent does for its commands. Only on Linux, and
 * only as long as the parents live; what they leave behind is found by its mark.
 */
export function groupsBelow(leader: number): number[] {
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

async function endGroups(tree: Tree, graceMs: number, clock: Clock): Promise<TreeEnd> {
  if (!isAnyAlive(tree.groups())) return 'gone';
  if (await tree.endsBy('SIGTERM', graceMs, clock)) return 'terminated';
  return (await tree.endsBy('SIGKILL', graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** The groups of a tree, also those that are made while it ends. */
class Tree {
  private readonly found: Set<number>;
  private readonly marked: MarkedGroups | undefined;

  constructor(
    private readonly leader: number | undefined,
    { others = [], mark }: MoreOfTree,
  ) {
    this.found = new Set(leader === undefined ? others : [leader, ...others]);
    this.marked = mark === undefined ? undefined : new MarkedGroups(mark);
  }

  /** All that have been found so far. */
  groups(): ReadonlySet<number> {
    for (const group of this.leader === undefined ? [] : groupsBelow(this.leader)) this.found.add(group);
    for (const group of this.marked?.find() ?? []) this.found.add(group);
    return this.found;
  }

  /** Gives the signal to each group once, and looks whether all are gone in time. */
  async endsBy(signal: NodeJS.Signals | undefined, limitMs: number, clock: Clock): Promise<boolean> {
    const endMs = clock.monotonicNow() + limitMs;
    const told = new Set<number>();
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const groups = this.groups();
      if (!isAnyAlive(groups)) return true;
      const leftMs = endMs - clock.monotonicNow();
      if (told.size > 0 && leftMs <= 0) return false;
      const untold = [...groups].filter((group) => !told.has(group));
      if (signal) signalGroups(untold, signal);
      for (const group of untold) told.add(group);
      await new Promise<void>((resolve) => clock.setTimer(Math.max(Math.min(delayMs, leftMs), 0), resolve));
    }
  }
}

function isAnyAlive(groups: Iterable<number>): boolean {
  const reached = [...groups].filter(isReached);
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
