import { execFile, spawnSync } from 'node:child_process';
import type { Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import { processes } from './linuxProcesses';
import { MarkReader } from './processMarks';
import { ProcessTable } from './processTable';

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
interface MoreOfTree {
  /** Groups of it that were found before, with `groupsBelow`. */
  readonly others?: readonly number[];
  /** That its processes were started with; see `processMarks.ts`. */
  readonly mark?: string;
}

/** Asks the whole tree to end, kills it after `graceMs`, and looks whether that worked. Never rejects. */
export async function endTree(leader: number, graceMs: number, clock: Clock, more: MoreOfTree = {}): Promise<TreeEnd> {
  const tree = new ProcessTree(leader, more);
  if (process.platform !== 'win32') return endWithSignals(tree, graceMs, clock);
  if (!isTreeAlive(leader)) return 'gone';
  // Programs without a window cannot be asked: taskkill without /F does nothing to them.
  await new Promise<void>((resolve) => {
    execFile('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: graceMs }, () => resolve());
  });
  return (await tree.endsBy(undefined, graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** The same for whatever was started with this mark and has left its tree. Only on Linux is there anything to find. */
export async function endMarked(mark: string, graceMs: number, clock: Clock): Promise<TreeEnd> {
  return endWithSignals(new ProcessTree(undefined, { mark }), graceMs, clock);
}

export function killMarkedNow(mark: string): void {
  new ProcessTree(undefined, { mark }).signal('SIGKILL');
}

/** For the end of this process, when nothing can be awaited any more. */
export function killTreeNow(leader: number, more: MoreOfTree = {}): void {
  if (process.platform === 'win32') spawnSync('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: 2_000 });
  else new ProcessTree(leader, more).signal('SIGKILL');
}

/** Zombies do not count. On Windows only the leader is looked at. */
export function isTreeAlive(leader: number): boolean {
  if (process.platform !== 'linux' || !isReached(leader)) return isReached(leader);
  // In a container whose first process does not collect orphans, killed grandchildren stay as zombies for ever, and
  // signal 0 still reaches them.
  return processes()?.some(({ group, isZombie }) => group === leader && !isZombie) ?? true;
}

/**
 * The groups that descendants of `leader` have made for themselves, as an agent does for its commands. Only on Linux, and
 * only as long as the parents live; what they leave behind is found by its mark.
 */
export function groupsBelow(leader: number): number[] {
  return ProcessTable.read()?.groupsBelow(leader) ?? [];
}

async function endWithSignals(tree: ProcessTree, graceMs: number, clock: Clock): Promise<TreeEnd> {
  if (tree.targets().length === 0) return 'gone';
  if (await tree.endsBy('SIGTERM', graceMs, clock)) return 'terminated';
  return (await tree.endsBy('SIGKILL', graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** The processes of a tree, also those that are started while it ends. */
export class ProcessTree {
  private readonly groups: Set<number>;
  private readonly marks: MarkReader | undefined;

  constructor(
    private readonly leader: number | undefined,
    { others = [], mark }: MoreOfTree,
  ) {
    this.groups = new Set(leader === undefined ? others : [leader, ...others]);
    this.marks = mark === undefined ? undefined : new MarkReader(mark);
  }

  /** What there is to signal: negative groups and single processes. On Windows the leader. */
  targets(): number[] {
    const { groups, leader, marks } = this;
    const table = ProcessTable.read();
    if (!table) return [...groups].filter(isReached).map((group) => (process.platform === 'win32' ? group : -group));
    for (const group of leader === undefined ? [] : table.groupsBelow(leader)) groups.add(group);
    return table.targets({ leader, groups, isMarked: (pid) => marks?.isMarked(pid) ?? false });
  }

  /** Whether there was anything to signal. */
  signal(signal: NodeJS.Signals): boolean {
    const targets = this.targets();
    sendAll(targets, signal);
    return targets.length > 0;
  }

  /** Gives the signal to each target once, and looks whether all are gone in time. */
  async endsBy(signal: NodeJS.Signals | undefined, limitMs: number, clock: Clock): Promise<boolean> {
    const endMs = clock.monotonicNow() + limitMs;
    const told = new Set<number>();
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const targets = this.targets();
      if (targets.length === 0) return true;
      const leftMs = endMs - clock.monotonicNow();
      if (told.size > 0 && leftMs <= 0) return false;
      const untold = targets.filter((target) => !told.has(target));
      if (signal) sendAll(untold, signal);
      for (const target of untold) told.add(target);
      await new Promise<void>((resolve) => clock.setTimer(Math.max(Math.min(delayMs, leftMs), 0), resolve));
    }
  }
}

function isReached(leader: number): boolean {
  try {
    return process.kill(process.platform === 'win32' ? leader : -leader, 0);
  } catch (error) {
    // The members are there but another user's. macOS says so of zombies.
    return errorCode(error) === 'EPERM' && process.platform !== 'darwin';
  }
}

function sendAll(targets: readonly number[], signal: NodeJS.Signals): void {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch {
      // It is gone, or not ours; the caller looks at what is left.
    }
  }
}

const taskkillArgs = (leader: number): string[] => ['/pid', String(leader), '/T', '/F'];
