import { Coalescer, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { FilePort } from './filePort';

const soonMs = 100;
/** For what no watch tells: a window that died, a disk elsewhere. */
const pollMs = 2000;

interface LogFollowerPorts {
  readonly files: Pick<FilePort, 'watch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the conversation. */
  readonly folder: string;
  /** Reads what is new. Resolves to false when there is nothing to follow any more; never rejects. */
  readonly look: () => Promise<boolean>;
}

/** Looks into the folder of a conversation when something happens there, and now and then. */
export class LogFollower implements Disposable {
  private readonly soon: Coalescer;
  private watcher: Disposable | undefined;
  private poll: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly ports: LogFollowerPorts) {
    this.soon = new Coalescer(ports.clock, soonMs, () => void this.look());
  }

  start(): void {
    const { files, folder, log } = this.ports;
    try {
      this.watcher = files.watch(folder, () => {
        if (!this.isDisposed) this.soon.schedule();
      });
    } catch (error) {
      log.debug(`A conversation is not watched, only looked at now and then: ${messageOf(error)}`);
    }
    void this.look();
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.dispose();
    this.soon.dispose();
    this.poll?.dispose();
  }

  private async look(): Promise<void> {
    this.poll?.dispose();
    const goesOn = await this.ports.look();
    if (this.isDisposed) return;
    if (!goesOn) {
      this.dispose();
      return;
    }
    this.poll?.dispose();
    this.poll = this.ports.clock.setTimer(pollMs, () => void this.look());
  }
}
