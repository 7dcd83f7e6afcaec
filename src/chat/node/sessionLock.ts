import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { parseJson } from '../../base/common/parseJson';
import { isProcessAlive } from '../../base/node/isProcessAlive';
import type { FilePort } from './filePort';

const Owner = z.object({ owner: z.string(), pid: z.number(), host: z.string(), startedAt: z.number() });
type Owner = z.infer<typeof Owner>;

const heartbeatMs = 10_000;
/** Later than that, a window may have slept, and another one may have taken the lock meanwhile. */
const lateMs = 2 * heartbeatMs;
/** Longer than a heartbeat that is late. */
const staleMs = 45_000;
const listenMs = 5000;
/** As often as that a process that lives has to be found silent: as long as `staleMs`. */
const silences = 9;

interface LockPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  /** Somebody else has taken it: nothing may be written any more. */
  readonly onLost: () => void;
}

interface Found {
  /** As it is on disk; undefined when it is missing. */
  readonly text: string | undefined;
  readonly owner: Owner | undefined;
  readonly modifiedAt: number | undefined;
  readonly isStale: boolean;
}

/** Only one window writes a conversation: the one whose lock file lies beside it. One of a dead process is taken over. */
export class SessionLock implements Disposable {
  private readonly owner = randomUUID();
  private isTaken = false;
  /** Another window has taken it. */
  private isLost = false;
  private beatAt = 0;
  private timer: Disposable | undefined;
  private silence: { readonly modifiedAt: number; times: number } | undefined;
  private listening: Disposable | undefined;

  constructor(
    private readonly file: string,
    private readonly ports: LockPorts,
  ) {}

  /** It is this window's, as far as is known. */
  get isHeldHere(): boolean {
    return this.isTaken;
  }

  /** Whether it is this window's now. @throws errors of the file port */
  async take(): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt++) {
      if ((await this.ports.files.createNew(this.file, this.content())) && (await this.isOurs())) return this.taken();
      const found = await this.look();
      if (found.owner?.owner === this.owner) return this.taken();
      if (!found.isStale || !(await this.evictStale(found))) return false;
    }
    return false;
  }

  /**
   * Before a write: `taken` when it was not this window's until now, and another one may have written meanwhile; `theirs` when
   * another window has it. @throws errors of the file port
   */
  async keep(): Promise<'held' | 'taken' | 'theirs'> {
    if (this.isTaken && this.wasSeenLately) return 'held';
    if (this.isTaken && (await this.beatNow())) return 'held';
    if (this.isLost) return 'theirs';
    return (await this.take()) ? 'taken' : 'theirs';
  }

  /** Whether another window has it. @throws errors of the file port */
  async isHeld(): Promise<boolean> {
    const { isStale, owner } = await this.look();
    return !isStale && owner?.owner !== this.owner;
  }

  /** Never rejects. */
  async release(): Promise<void> {
    this.dispose();
    const isOurs = await this.isOurs().catch(() => false);
    if (isOurs) await this.ports.files.remove(this.file).catch(() => undefined);
  }

  dispose(): void {
    this.isTaken = false;
    this.timer?.dispose();
    this.timer = undefined;
    this.listening?.dispose();
    this.listening = undefined;
  }

  private get wasSeenLately(): boolean {
    const sinceBeatMs = this.ports.clock.now() - this.beatAt;
    // Negative when the clock was set back: then nobody knows how long it was.
    return sinceBeatMs >= 0 && sinceBeatMs < lateMs;
  }

  private taken(): true {
    this.dispose();
    this.isTaken = true;
    this.beatAt = this.ports.clock.now();
    this.beatLater();
    return true;
  }

  /** By a rename, which only one can win. False when it was another's than the one that was found: that is put back. */
  private async evictStale(found: Found): Promise<boolean> {
    const { files } = this.ports;
    const tombstone = `${this.file}.${this.owner}`;
    if (!(await files.move(this.file, tombstone))) return true;
    const isFound =
      (await files.read(tombstone)) === found.text && (await files.modifiedAt(tombstone)) === found.modifiedAt;
    if (isFound) await files.remove(tombstone);
    else await files.move(tombstone, this.file);
    return isFound;
  }

  private beatLater(): void {
    this.timer?.dispose();
    this.timer = this.ports.clock.setTimer(heartbeatMs, () => void this.beat());
  }

  /** Never rejects. */
  private async beat(): Promise<void> {
    // A disk that does not answer now may at the next beat.
    await this.beatNow().catch(() => undefined);
    if (this.isTaken) this.beatLater();
  }

  private async beatNow(): Promise<boolean> {
    const text = await this.ports.files.read(this.file);
    // It was given back meanwhile.
    if (!this.isTaken) return false;
    if (ownerOf(text)?.owner === this.owner) {
      await this.ports.files.touch(this.file);
      this.beatAt = this.ports.clock.now();
      return true;
    }
    this.dispose();
    // A file that is missing says nothing of another window: its folder may have been deleted, or its disk unmounted.
    if (text === undefined) return false;
    this.isLost = true;
    this.ports.onLost();
    return false;
  }

  private async isOurs(): Promise<boolean> {
    return ownerOf(await this.ports.files.read(this.file))?.owner === this.owner;
  }

  private async look(): Promise<Found> {
    const { files } = this.ports;
    const text = await files.read(this.file);
    const modifiedAt = await files.modifiedAt(this.file);
    const owner = ownerOf(text);
    return { text, owner, modifiedAt, isStale: this.isStale(owner, modifiedAt) };
  }

  private isStale(owner: Owner | undefined, modifiedAt: number | undefined): boolean {
    if (modifiedAt === undefined) return true;
    // Without an owner it is being written right now, or was never finished.
    if (owner?.host !== hostname()) return this.ports.clock.now() - modifiedAt > staleMs || this.isSilent(modifiedAt);
    const isAlive = owner.pid === process.pid ? owner.startedAt === startedAt : isProcessAlive(owner.pid);
    // A process that lives may have slept with this computer; or it has only the number of the one that is dead.
    return !isAlive || this.isSilent(modifiedAt);
  }

  /** By short timers, of which one runs out at most while the computer sleeps: the time of day goes on. */
  private isSilent(modifiedAt: number): boolean {
    if (this.silence?.modifiedAt !== modifiedAt) {
      this.silence = { modifiedAt, times: 0 };
      this.listen(this.silence);
    }
    return this.silence.times >= silences;
  }

  private listen(silence: { times: number }): void {
    this.listening?.dispose();
    this.listening = this.ports.clock.setTimer(listenMs, () => {
      silence.times++;
      if (silence.times < silences) this.listen(silence);
    });
  }

  private content(): string {
    return JSON.stringify({ owner: this.owner, pid: process.pid, host: hostname(), startedAt });
  }
}

/** Of this process, in seconds since the epoch: another one may have its number later. */
const startedAt = Math.round(performance.timeOrigin / 1000);

function ownerOf(text: string | undefined): Owner | undefined {
  return text === undefined ? undefined : Owner.safeParse(parseJson(text)).data;
}
