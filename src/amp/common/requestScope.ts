import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { TimeoutError } from '../../base/common/errors';

/**
 * The life of one request: it ends when it is answered, when its time is up or when its client has gone. What is
 * acquired for a request is bound to `signal` and released when it fires, so that nothing can outlive the request.
 */
export class RequestScope {
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number;
  private readonly controller = new AbortController();
  private timer: Disposable | undefined;

  /** `timeoutMs` counts from `arrivedAt`, in milliseconds of the monotonic clock. */
  constructor(
    private readonly clock: Clock,
    arrivedAt: number,
    readonly timeoutMs: number,
  ) {
    this.deadline = arrivedAt + timeoutMs;
  }

  /** Fires when the request has ended. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * Settles as the work does, or rejects as soon as the request has ended, whether or not the work obeys the signal.
   * @throws TimeoutError at the deadline, else the reason given to `end`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const remainingMs = this.deadline - this.clock.monotonicNow();
    if (remainingMs <= 0) this.timeOut();
    this.signal.throwIfAborted();
    // The first listener, so that the caller hears of the time and not of what the work makes of its signal.
    const ended = new Promise<never>((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(reasonOf(this.signal)), { once: true });
    });
    this.timer = this.clock.setTimer(remainingMs, () => this.timeOut());
    try {
      return await Promise.race([work(), ended]);
    } finally {
      this.timer.dispose();
    }
  }

  /** Does nothing when it has ended already. */
  end(reason: Error): void {
    this.timer?.dispose();
    this.controller.abort(reason);
  }

  private timeOut(): void {
    this.end(new TimeoutError('The request', this.timeoutMs));
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
