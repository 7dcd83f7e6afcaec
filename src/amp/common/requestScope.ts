import { abortReason, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { TimeoutError } from '../../base/common/errors';

/** The lifetime of one request. Its resources are released when `signal` fires. */
export class RequestScope {
  readonly deadlineMs: number;
  private readonly controller = new AbortController();
  private timer: Disposable | undefined;

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
    // This listener is added first, so that the caller gets the time-out and not the error that the aborted work
    // throws.
    const ended = new Promise<never>((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(abortReason(this.signal)), { once: true });
    });
    this.timer = this.clock.setTimer(remainingMs, () => this.timeOut());
    try {
      return await Promise.race([work(), ended]);
    } finally {
      this.timer.dispose();
    }
  }

  /** Ends the request and fires its signal. Does nothing if the request has already ended. */
  end(reason: Error): void {
    this.timer?.dispose();
    this.controller.abort(reason);
  }

  private timeOut(): void {
    this.end(new TimeoutError('The request', this.timeoutMs));
  }
}
