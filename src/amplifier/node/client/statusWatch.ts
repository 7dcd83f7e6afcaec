import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionStatus } from '../../common/apiSchema';

export interface StatusWatchOptions {
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly settleMs: number;
  readonly getStatus: () => Promise<SessionStatus>;
  readonly isTurnOpen: () => boolean;
  readonly onStatus: (status: SessionStatus) => void;
  /** The server is idle, a turn is open here, and no more events came in the time to settle. */
  readonly onInterrupted: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Holds a session against its status on the server: when asked to, and whenever an open turn has been without events. What
 * the status says is believed only if no event came while it was on its way: the stream is nearer to the truth.
 */
export class StatusWatch implements Disposable {
  private events = 0;
  private isChecking = false;
  private shouldCheckAgain = false;
  private isDisposed = false;
  private heartbeat: Disposable | undefined;
  private settling: Disposable | undefined;

  constructor(private readonly options: StatusWatchOptions) {}

  start(): void {
    this.beat(this.events);
  }

  countEvent(): void {
    this.events++;
  }

  check(): void {
    if (this.isDisposed) return;
    if (this.isChecking) {
      this.shouldCheckAgain = true;
      return;
    }
    this.isChecking = true;
    const before = this.events;
    this.options
      .getStatus()
      .then(
        (status) => this.believe(status, before),
        (error: unknown) => {
          if (!this.isDisposed) this.options.onError(error);
        },
      )
      .finally(() => {
        this.isChecking = false;
        if (!this.shouldCheckAgain) return;
        this.shouldCheckAgain = false;
        this.check();
      });
  }

  dispose(): void {
    this.isDisposed = true;
    this.heartbeat?.dispose();
    this.settling?.dispose();
  }

  private believe(status: SessionStatus, before: number): void {
    if (this.isDisposed || this.events !== before) return;
    this.options.onStatus(status);
    if (status.status !== 'idle' || !this.options.isTurnOpen()) return;
    this.settling?.dispose();
    this.settling = this.options.clock.setTimer(this.options.settleMs, () => {
      if (this.events === before && this.options.isTurnOpen()) this.options.onInterrupted();
    });
  }

  private beat(eventsBefore: number): void {
    if (this.isDisposed) return;
    this.heartbeat = this.options.clock.setTimer(this.options.heartbeatMs, () => {
      if (this.options.isTurnOpen() && this.events === eventsBefore) this.check();
      this.beat(this.events);
    });
  }
}
