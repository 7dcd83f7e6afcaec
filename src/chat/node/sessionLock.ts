import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { isProcessAlive } from '../../base/node/isProcessAlive';
import type { FilePort } from './filePort';

const Owner = z.object({ owner: z.string(), pid: z.number(), host: z.string(), startedAt: z.number() });

const heartbeatMs = 10_000;
/** Longer than a heartbeat that is late; a window that slept through it notices that it has lost the lock. */
const staleMs = 45_000;

export interface LockPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  /** Somebody else has taken it: nothing may be written any more. */
  readonly onLost: () => void;
}

/** Only one window writes a conversation: the one whose lock file lies beside it. One of a dead process is taken over. */
export class SessionLock implements Disposable {
  private readonly owner = randomUUID();
  private timer: Disposable | undefined;

  constructor(
    private readonly file: string,
    private readonly ports: LockPorts,
  ) {}

  /** Whether it is this window's now. @throws errors of the file port */
  async take(): Promise<boolean> {
    const { files } = this.ports;
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await files.createNew(this.file, this.content())) return await this.confirm();
      if (!(await this.isStale())) return false;
      // A rename only one can win; who loses looks again at what is there then.
      const grave = `${this.file}.${this.owner}`;
      if (await files.move(this.file, grave)) await files.remove(grave);
    }
    return false;
  }

  /** Whether another window has it. @throws errors of the file port */
  async isHeld(): Promise<boolean> {
    return !(await this.isStale()) && !(await this.isOurs());
  }

  /** Never rejects. */
  async release(): Promise<void> {
    this.dispose();
    const isOurs = await this.isOurs().catch(() => false);
    if (isOurs) await this.ports.files.remove(this.file).catch(() => undefined);
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private async confirm(): Promise<boolean> {
    if (!(await this.isOurs())) return false;
    this.beatLater();
    return true;
  }

  private beatLater(): void {
    this.timer = this.ports.clock.setTimer(heartbeatMs, () => {
      this.timer = undefined;
      void this.beat();
    });
  }

  private async beat(): Promise<void> {
    try {
      if (!(await this.isOurs())) {
        this.ports.onLost();
        return;
      }
      await this.ports.files.touch(this.file);
    } catch {
      // A disk that does not answer now may at the next beat.
    }
    this.beatLater();
  }

  private async isOurs(): Promise<boolean> {
    return (await this.read())?.owner === this.owner;
  }

  private async isStale(): Promise<boolean> {
    const owner = await this.read();
    const modifiedAt = await this.ports.files.modifiedAt(this.file);
    if (modifiedAt === undefined) return true;
    if (this.ports.clock.now() - modifiedAt > staleMs) return true;
    // Without an owner it is being written right now, or was never finished.
    if (owner?.host !== hostname()) return false;
    if (owner.pid === process.pid) return owner.startedAt !== startedAt;
    return !isProcessAlive(owner.pid);
  }

  private async read(): Promise<z.infer<typeof Owner> | undefined> {
    const text = await this.ports.files.read(this.file);
    if (text === undefined) return undefined;
    try {
      return Owner.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  private content(): string {
    return JSON.stringify({ owner: this.owner, pid: process.pid, host: hostname(), startedAt });
  }
}

/** Of this process, in seconds since the epoch: another one may have its number later. */
const startedAt = Math.round(performance.timeOrigin / 1000);
