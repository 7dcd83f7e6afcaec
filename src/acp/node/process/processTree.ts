import { execFile, spawnSync } from 'node:child_process';
import { pause, type Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import { listProcesses } from './linuxProcesses';
import { EnvironmentMarkReader } from './processMarks';
import { ProcessTable } from './processTable';

/** Makes the child the leader of a process group, to end it with its descendants. Windows has no groups. */
export const ownProcessGroupOptions = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** How all processes of a tree ended. `stillRunning`: some were running even after SIGKILL. */
export type ProcessTreeEnd = 'gone' | 'terminated' | 'killed' | 'stillRunning';

const firstPollMs = 25;
const maxPollMs = 200;

interface ExtraTreeMembers {
  /** Process groups that `descendantProcessGroups` found earlier. */
  readonly knownGroups?: readonly number[];
  /** The mark in the processes' environment; see `processMarks.ts`. */
  readonly mark?: string;
}

/** Sends SIGTERM to the whole tree, SIGKILL after `graceMs`, and checks the result. Never rejects. */
export async function endProcessTree(
  leader: number,
  graceMs: number,
  clock: Clock,
  more: ExtraTreeMembers = {},
): Promise<ProcessTreeEnd> {
  const tree = new ProcessTree(leader, more);
  if (process.platform !== 'win32') return endWithSignals(tree, graceMs, clock);
  if (!isProcessTreeAlive(leader)) return 'gone';
  // Uses /F, because programs without a window ignore `taskkill` without it.
  await new Promise<void>((resolve) => {
    execFile('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: graceMs }, () => resolve());
  });
  return (await tree.signalAndWait(undefined, graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** Like `endProcessTree`, for processes with this mark that have left the tree. Finds them on Linux only. */
export async function endMarkedProcesses(mark: string, graceMs: number, clock: Clock): Promise<ProcessTreeEnd> {
  return endWithSignals(new ProcessTree(undefined, { mark }), graceMs, clock);
}

export function killMarkedProcessesNow(mark: string): void {
  new ProcessTree(undefined, { mark }).signal('SIGKILL');
}

export function killProcessTreeNow(leader: number, more: ExtraTreeMembers = {}): void {
  if (process.platform === 'win32') spawnSync('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: 2_000 });
  else new ProcessTree(leader, more).signal('SIGKILL');
}

/** Whether a process of the tree is running. Ignores zombies. On Windows, checks the leader only. */
export function isProcessTreeAlive(leader: number): boolean {
  if (process.platform !== 'linux' || !isReachable(leader)) return isReachable(leader);
  // In containers whose init process does not reap orphans, killed grandchildren stay zombies, and signal 0 still finds
  // them.
  return listProcesses()?.some(({ groupId, isZombie }) => groupId === leader && !isZombie) ?? true;
}

/** Returns the process groups of descendants of `leader`. On Linux only, and only while the parents are alive. */
export function descendantProcessGroups(leader: number): number[] {
  return ProcessTable.readCurrent()?.descendantGroups(leader) ?? [];
}

async function endWithSignals(tree: ProcessTree, graceMs: number, clock: Clock): Promise<ProcessTreeEnd> {
  if (tree.signalTargets().length === 0) return 'gone';
  if (await tree.signalAndWait('SIGTERM', graceMs, clock)) return 'terminated';
  return (await tree.signalAndWait('SIGKILL', graceMs, clock)) ? 'killed' : 'stillRunning';
}

/** The processes of a tree, including processes started while the tree is ended. */
export class ProcessTree {
  private readonly groups: Set<number>;
  private readonly markReader: EnvironmentMarkReader | undefined;

  constructor(
    private readonly leader: number | undefined,
    { knownGroups = [], mark }: ExtraTreeMembers,
  ) {
    this.groups = new Set(leader === undefined ? knownGroups : [leader, ...knownGroups]);
    this.markReader = mark === undefined ? undefined : new EnvironmentMarkReader(mark);
  }

  /** Returns arguments for `process.kill`: negative group ids and pids. On Windows, the pid of the leader. */
  signalTargets(): number[] {
    const { groups, leader, markReader } = this;
    const table = ProcessTable.readCurrent();
    if (!table) return [...groups].filter(isReachable).map((group) => (process.platform === 'win32' ? group : -group));
    for (const group of leader === undefined ? [] : table.descendantGroups(leader)) groups.add(group);
    return table.signalTargets({ leader, groups, isMarked: (pid) => markReader?.hasMark(pid) ?? false });
  }

  signal(signal: NodeJS.Signals): boolean {
    const targets = this.signalTargets();
    signalAll(targets, signal);
    return targets.length > 0;
  }

  /** Signals each target once. Resolves to whether all processes have ended within `limitMs`. */
  async signalAndWait(signal: NodeJS.Signals | undefined, limitMs: number, clock: Clock): Promise<boolean> {
    const endMs = clock.monotonicNow() + limitMs;
    const signalled = new Set<number>();
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const targets = this.signalTargets();
      if (targets.length === 0) return true;
      const leftMs = endMs - clock.monotonicNow();
      if (signalled.size > 0 && leftMs <= 0) return false;
      const newTargets = targets.filter((target) => !signalled.has(target));
      if (signal) signalAll(newTargets, signal);
      for (const target of newTargets) signalled.add(target);
      await pause(clock, Math.max(Math.min(delayMs, leftMs), 0));
    }
  }
}

function isReachable(leader: number): boolean {
  try {
    return process.kill(process.platform === 'win32' ? leader : -leader, 0);
  } catch (error) {
    // The processes exist but belong to another user. macOS also reports this for zombies.
    return errorCode(error) === 'EPERM' && process.platform !== 'darwin';
  }
}

function signalAll(targets: readonly number[], signal: NodeJS.Signals): void {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch {
      // The process has exited or belongs to another user. The caller checks which processes remain.
    }
  }
}

const taskkillArgs = (leader: number): string[] => ['/pid', String(leader), '/T', '/F'];
