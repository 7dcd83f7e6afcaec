import { execFile, spawnSync } from 'node:child_process';
import { pause, type Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import { descendantGroupsOf, listProcesses } from './linuxProcesses';

/** Makes the child the leader of a process group, to end it with its descendants. Windows has no groups. */
export const ownProcessGroupOptions = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** How all processes of a tree ended. `stillRunning`: some were running even after SIGKILL. */
export type ProcessTreeEnd = 'gone' | 'terminated' | 'killed' | 'stillRunning';

/** How long killed processes may take to disappear: a busy system ends them only when it has freed their memory. */
const deathMs = 10_000;
const firstPollMs = 25;
const maxPollMs = 200;

/**
 * Sends SIGTERM to the whole tree, SIGKILL after `graceMs`, and checks the result. `knownGroups` were found by
 * `descendantProcessGroups` while the leader was alive. Never rejects.
 */
export async function endProcessTree(
  leader: number,
  graceMs: number,
  clock: Clock,
  knownGroups: readonly number[] = [],
): Promise<ProcessTreeEnd> {
  const tree = new ProcessTree(leader, knownGroups);
  if (tree.signalTargets().length === 0) return 'gone';
  if (process.platform !== 'win32') {
    if (await tree.signalAndWait('SIGTERM', graceMs, clock)) return 'terminated';
    return (await tree.signalAndWait('SIGKILL', deathMs, clock)) ? 'killed' : 'stillRunning';
  }
  // Uses /F, because programs without a window ignore `taskkill` without it.
  await new Promise<void>((resolve) => {
    execFile('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: graceMs }, () => resolve());
  });
  return (await tree.signalAndWait(undefined, deathMs, clock)) ? 'killed' : 'stillRunning';
}

export function killProcessTreeNow(leader: number, knownGroups: readonly number[] = []): void {
  if (process.platform === 'win32') spawnSync('taskkill', taskkillArgs(leader), { windowsHide: true, timeout: 2_000 });
  else new ProcessTree(leader, knownGroups).signal('SIGKILL');
}

/** Returns the process groups of descendants of `leader`. On Linux only, and only while the parents are alive. */
export function descendantProcessGroups(leader: number): number[] {
  return descendantGroupsOf(leader, listProcesses() ?? []);
}

/**
 * The processes of a tree: the group of its leader, and on Linux the groups of its descendants, including those started while
 * the tree is ended. A descendant in a group of its own that has lost its parents is not found.
 */
export class ProcessTree {
  private readonly groups: Set<number>;

  constructor(
    private readonly leader: number,
    knownGroups: readonly number[] = [],
  ) {
    this.groups = new Set([leader, ...knownGroups]);
  }

  /** Returns arguments for `process.kill`: negative group ids. On Windows, the pid of the leader. */
  signalTargets(): number[] {
    const { groups, leader } = this;
    if (process.platform === 'win32') return isReachable(leader) ? [leader] : [];
    const processes = listProcesses();
    if (!processes) return [...groups].filter(isReachable).map((group) => -group);
    for (const group of descendantGroupsOf(leader, processes)) groups.add(group);
    const living = new Set(processes.filter(({ isZombie }) => !isZombie).map(({ groupId }) => groupId));
    return [...groups].filter((group) => living.has(group) && maySignal(group)).map((group) => -group);
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

/** Whether a process of the group may be signalled, because it does not belong to another user. */
function maySignal(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
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
