import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import type { Clock } from '../common/async';
import type { Disposable } from '../common/disposable';
import { parseJson } from '../common/parseJson';
import { isProcessAlive } from './isProcessAlive';
import type { FilePort } from './filePort';

const Owner = z.object({ owner: z.string(), pid: z.number(), host: z.string(), startedAt: z.number() });
type Owner = z.infer<typeof Owner>;

const heartbeatMs = 10_000;
/** If the last heartbeat is older, the computer may have slept, and another window may have taken the lock. */
const lateMs = 2 * heartbeatMs;
/** Age after which a lock is stale, in milliseconds. Much longer than a delayed heartbeat. */
const staleMs = 45_000;
const silencePeriodMs = 5000;
/** How many `silencePeriodMs` without a heartbeat make a lock stale. In total as long as `staleMs`. */
const maxSilentPeriods = 9;

interface LockPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  /** Called when another window has taken the lock. This window must then write nothing that the lock protects. */
  readonly onLost: () => void;
}

interface LockState {
  /** Undefined if there is no lock. */
  readonly text: string | undefined;
  readonly modifiedAt: number | undefined;
  readonly owner: Owner | undefined;
  readonly isStale: boolean;
}

/**
 * A lock file that only one window at a time holds. It is renewed by heartbeats; the lock of a process that has ended, or
 * is silent for long, can be taken.
 */
export class FileLock implements Disposable {
  private readonly ownerId = randomUUID();
  private isHeld = false;
  private isLost = false;
  private lastHeartbeatAt = 0;
  private heartbeatTimer: Disposable | undefined;
  private silentPeriods: { readonly modifiedAt: number; times: number } | undefined;
  private silenceTimer: Disposable | undefined;

  constructor(
    private readonly file: string,
    private readonly ports: LockPorts,
  ) {}

  /** Tries to acquire the lock. Resolves to whether it succeeded. @throws errors of the file port */
  async acquire(): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt++) {
      if ((await this.ports.files.createNew(this.file, this.lockContent())) && (await this.isOurs()))
        return this.markHeld();
      const found = await this.readLock();
      if (found.owner?.owner === this.ownerId) return this.markHeld();
      if (!found.isStale || !(await this.evictStale())) return false;
    }
    return false;
  }

  /**
   * Checks the lock before a write. `taken`: it was acquired just now, so another window may have written before.
   * `theirs`: another window has it. @throws errors of the file port
   */
  async ensureHeld(): Promise<'held' | 'taken' | 'theirs'> {
    if (this.isHeld && this.isHeartbeatRecent) return 'held';
    if (this.isHeld && (await this.updateHeartbeat())) return 'held';
    if (this.isLost) return 'theirs';
    return (await this.acquire()) ? 'taken' : 'theirs';
  }

  /** Whether another window has the lock. @throws errors of the file port */
  async isHeldElsewhere(): Promise<boolean> {
    const { isStale, owner } = await this.readLock();
    return !isStale && owner?.owner !== this.ownerId;
  }

  /** Ends the heartbeats and removes the lock file, so that another window can take the lock. Never rejects. */
  async release(): Promise<void> {
    this.stopHeartbeats();
    const isOurs = await this.isOurs().catch(() => false);
    if (isOurs) await this.ports.files.remove(this.file).catch(() => undefined);
  }

  /** Ends the heartbeats, but leaves the lock file, which other windows can take when it is stale. See `release`. */
  dispose(): void {
    this.stopHeartbeats();
  }

  private stopHeartbeats(): void {
    this.isHeld = false;
    this.heartbeatTimer?.dispose();
    this.heartbeatTimer = undefined;
    this.silenceTimer?.dispose();
    this.silenceTimer = undefined;
  }

  private get isHeartbeatRecent(): boolean {
    const sinceBeatMs = this.ports.clock.now() - this.lastHeartbeatAt;
    // The difference is negative if the clock was set back.
    return sinceBeatMs >= 0 && sinceBeatMs < lateMs;
  }

  private markHeld(): true {
    this.stopHeartbeats();
    this.isHeld = true;
    this.lastHeartbeatAt = this.ports.clock.now();
    this.scheduleHeartbeat();
    return true;
  }

  /** Removes the lock if it is still stale, and resolves to whether it did. Only one window at a time removes locks. */
  private async evictStale(): Promise<boolean> {
    const { files, clock } = this.ports;
    const guard = `${this.file}.evict`;
    if (!(await files.createNew(guard, this.ownerId))) {
      const guardedAt = await files.modifiedAt(guard);
      // Its window has crashed.
      if (guardedAt !== undefined && clock.now() - guardedAt > staleMs) await files.remove(guard);
      return false;
    }
    try {
      const found = await this.readLock();
      return found.isStale && (await this.removeIfUnchanged(found));
    } finally {
      // If this window was silent for long, another one has replaced its guard.
      if ((await files.read(guard)) === this.ownerId) await files.remove(guard);
    }
  }

  /**
   * Removes a lock as it was found, and resolves to whether it is gone. The computer may have slept since then, and another
   * window may have taken the lock: it is moved first, because what was moved cannot change any more, and can be put back.
   */
  private async removeIfUnchanged({ text, modifiedAt }: LockState): Promise<boolean> {
    const { files } = this.ports;
    const moved = `${this.file}.${this.ownerId}`;
    if (!(await files.moveIfExists(this.file, moved))) return true;
    try {
      const movedText = await files.read(moved);
      if (movedText === text && (await files.modifiedAt(moved)) === modifiedAt) return true;
      // Created and not moved back, because that would replace the lock of a third window. If it cannot be created, its
      // owner finds no lock and acquires it again.
      if (movedText !== undefined) await files.createNew(this.file, movedText);
      return false;
    } finally {
      await files.remove(moved);
    }
  }

  private scheduleHeartbeat(): void {
    this.heartbeatTimer?.dispose();
    this.heartbeatTimer = this.ports.clock.setTimer(heartbeatMs, () => void this.updateHeartbeatAndReschedule());
  }

  /** Updates the lock file. Never rejects. */
  private async updateHeartbeatAndReschedule(): Promise<void> {
    // The next heartbeat retries it.
    await this.updateHeartbeat().catch(() => undefined);
    if (this.isHeld) this.scheduleHeartbeat();
  }

  private async updateHeartbeat(): Promise<boolean> {
    const text = await this.ports.files.read(this.file);
    // The lock was released in the meantime.
    if (!this.isHeld) return false;
    if (ownerOf(text)?.owner === this.ownerId) {
      await this.ports.files.touch(this.file);
      this.lastHeartbeatAt = this.ports.clock.now();
      return true;
    }
    this.stopHeartbeats();
    // A missing file does not mean that another window has the lock: the folder may have been deleted, or its disk
    // unmounted.
    if (text === undefined) return false;
    this.isLost = true;
    this.ports.onLost();
    return false;
  }

  private async isOurs(): Promise<boolean> {
    return ownerOf(await this.ports.files.read(this.file))?.owner === this.ownerId;
  }

  private async readLock(): Promise<LockState> {
    const { files } = this.ports;
    const text = await files.read(this.file);
    const modifiedAt = await files.modifiedAt(this.file);
    const owner = ownerOf(text);
    return { text, modifiedAt, owner, isStale: this.isStale(owner, modifiedAt) };
  }

  private isStale(owner: Owner | undefined, modifiedAt: number | undefined): boolean {
    if (modifiedAt === undefined) return true;
    // If the file contains no owner, it is still being written, or writing it was interrupted.
    if (owner?.host !== hostname()) return this.ports.clock.now() - modifiedAt > staleMs || this.isSilent(modifiedAt);
    const isAlive = owner.pid === process.pid ? owner.startedAt === startedAt : isProcessAlive(owner.pid);
    // A live process may be waking from sleep. It may also be another process with the id of an owner that has ended.
    return !isAlive || this.isSilent(modifiedAt);
  }

  /** Whether the lock file was not changed for a while. Counts short timers, as clocks advance during sleep. */
  private isSilent(modifiedAt: number): boolean {
    if (this.silentPeriods?.modifiedAt !== modifiedAt) {
      this.silentPeriods = { modifiedAt, times: 0 };
      this.countSilence(this.silentPeriods);
    }
    return this.silentPeriods.times >= maxSilentPeriods;
  }

  private countSilence(period: { times: number }): void {
    this.silenceTimer?.dispose();
    this.silenceTimer = this.ports.clock.setTimer(silencePeriodMs, () => {
      period.times++;
      if (period.times < maxSilentPeriods) this.countSilence(period);
    });
  }

  private lockContent(): string {
    return JSON.stringify({ owner: this.ownerId, pid: process.pid, host: hostname(), startedAt });
  }
}

/** Start of this process, in seconds since the epoch. Used to detect that a process id was reused. */
const startedAt = Math.round(performance.timeOrigin / 1000);

function ownerOf(text: string | undefined): Owner | undefined {
  return text === undefined ? undefined : Owner.safeParse(parseJson(text)).data;
}
