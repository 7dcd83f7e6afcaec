import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

/**
 * How long a turn is kept open without a connection, or with none that lasts: connections that end as soon as they have
 * begun do not begin it anew.
 */
export class ReconnectGrace implements Disposable {
  private timer: Disposable | undefined;
  private isConnected = false;

  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number,
    private readonly onOver: () => void,
  ) {}

  /** It runs on: the connection may not last. */
  connected(): void {
    this.isConnected = true;
  }

  lost(): void {
    this.isConnected = false;
    this.timer ??= this.clock.setTimer(this.graceMs, () => {
      this.timer = undefined;
      if (!this.isConnected) this.onOver();
    });
  }

  /** The connection has lasted. Also to be called when nothing waits for one any more. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }
}
