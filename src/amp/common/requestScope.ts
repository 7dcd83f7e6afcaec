import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { TimeoutError } from '../../base/common/errors';

/** Longer than VS Code needs for any edit that is accepted. */
const maxApplyMs = 60_000;

/** The lifetime of one request. Its resources are released when `signal` fires. */
export class RequestScope {
  readonly deadlineMs: number;
  private readonly controller = new AbortController();
  private rejectRun: ((reason: Error) => void) | undefined;
  private timer: Disposable | undefined;
  private isApplying = false;

  /** `timeoutMs` starts at `arrivedAt`, in milliseconds of the monotonic clock. */
  constructor(
    private readonly clock: Clock,
    arrivedAt: number,
    readonly timeoutMs: number,
  ) {
    this.deadlineMs = arrivedAt + timeoutMs;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Settles like `work`, or rejects when the request ends. @throws TimeoutError, or the reason given to `end` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const remainingMs = this.deadlineMs - this.clock.monotonicNow();
    if (remainingMs <= 0) this.timeOut();
    this.signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.rejectRun = reject;
    this.timer = this.clock.setTimer(remainingMs, () => this.timeOut());
    try {
      work().then(resolve, reject);
      return await promise;
    } finally {
      this.stopTimer();
    }
  }

  /** Whether `startApplying` was called. */
  get mayHaveChanged(): boolean {
    return this.isApplying;
  }

  /** Call when the effect of the request can no longer be prevented, so that it is not reported as failed. */
  startApplying(): void {
    this.isApplying = true;
    if (this.signal.aborted || !this.timer) return;
    this.stopTimer();
    this.timer = this.clock.setTimer(maxApplyMs, () => this.timeOut());
  }

  /** Ends the request and fires its signal. Does nothing if the request has already ended. */
  end(reason: Error): void {
    if (this.signal.aborted) return;
    this.stopTimer();
    // Rejects first, so that the caller gets the time-out and not the error that the aborted work throws.
    this.rejectRun?.(reason);
    this.controller.abort(reason);
  }

  private stopTimer(): void {
    this.timer?.dispose();
  }

  private timeOut(): void {
    this.end(new TimeoutError('The request', this.isApplying ? maxApplyMs : this.timeoutMs));
  }
}
