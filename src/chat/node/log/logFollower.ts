import { Coalescer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FilePort } from '../../../base/node/filePort';

const soonMs = 100;
/** Interval of polling, for changes that the watcher misses: on a network drive or after a crash of a window. */
const pollMs = 2000;

interface LogFollowerPorts {
  readonly files: Pick<FilePort, 'watch'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  /** Reads new records. Resolves to whether to keep following the log. Never rejects. */
  readonly readNewRecords: () => Promise<boolean>;
}

/** Calls `readNewRecords` when the folder of a conversation changes, and every few seconds. */
export class LogFollower implements Disposable {
  private readonly coalescer: Coalescer;
  private watcher: Disposable | undefined;
  private pollTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly ports: LogFollowerPorts) {
    this.coalescer = new Coalescer(ports.clock, soonMs, () => void this.pollNow());
  }

  start(): void {
    const { files, folder, log } = this.ports;
    try {
      this.watcher = files.watch(folder, () => {
        if (!this.isDisposed) this.coalescer.schedule();
      });
    } catch (error) {
      log.debug(`Cannot watch a conversation, polling instead: ${messageOf(error)}`);
    }
    void this.pollNow();
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.dispose();
    this.coalescer.dispose();
    this.pollTimer?.dispose();
  }

  private async pollNow(): Promise<void> {
    this.pollTimer?.dispose();
    const shouldContinue = await this.ports.readNewRecords();
    if (this.isDisposed) return;
    if (!shouldContinue) {
      this.dispose();
      return;
    }
    this.pollTimer?.dispose();
    this.pollTimer = this.ports.clock.setTimer(pollMs, () => void this.pollNow());
  }
}
