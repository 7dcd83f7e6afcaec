import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionStatus } from '../../common/apiSchema';

interface StatusWatchOptions {
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly settleMs: number;
  readonly getStatus: (signal?: AbortSignal) => Promise<SessionStatus>;
  readonly isTurnOpen: () => boolean;
  readonly onStatus: (status: SessionStatus) => void;
  /** The server is idle, a turn is open here, and no more events came in the time to settle. */
  readonly onInterrupted: () => void;
  readonly onError: (error: unknown) => void;
}

const maxOvertaken = 3;

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
  private later: Disposable | undefined;
  /** How many answers in a row were. */
  private overtaken = 0;

  constructor(private readonly options: StatusWatchOptions) {}

  start(): void {
    this.beat(this.events);
  }

  countEvent(): void {
    this.events++;
  }

  /** Asks once. `believe` says whether what came back still holds, and tells it then. Rejects as `getStatus` does. */
  async read(signal?: AbortSignal): Promise<{ readonly status: SessionStatus; readonly believe: () => boolean }> {
    const before = this.events;
    const status = await this.options.getStatus(signal);
    return { status, believe: () => this.believe(status, before) };
  }

  check(): void {
    if (this.isDisposed) return;
    if (this.isChecking) {
      this.shouldCheckAgain = true;
      return;
    }
    this.isChecking = true;
    this.read()
      .then(
        ({ believe }) => {
          if (believe()) this.overtaken = 0;
          else this.checkLater();
        },
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
    this.later?.dispose();
  }

  private believe(status: SessionStatus, before: number): boolean {
    if (this.isDisposed || this.events !== before) return false;
    this.options.onStatus(status);
    if (status.status === 'idle' && this.options.isTurnOpen()) this.settle(before);
    return true;
  }

  /** A few times, lest a stream that tells much is asked all the while. */
  private checkLater(): void {
    if (this.isDisposed || ++this.overtaken > maxOvertaken) {
      this.overtaken = 0;
      return;
    }
    this.later?.dispose();
    this.later = this.options.clock.setTimer(this.options.settleMs, () => this.check());
  }

  private settle(before: number): void {
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
