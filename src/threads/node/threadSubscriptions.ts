import type { Clock } from '../../base/common/async';
import { toDisposable, type Disposable } from '../../base/common/disposable';
import { processorShares } from '../common/processorShares';

interface Subscription {
  readonly threadId: string;
  readonly listener: () => void;
  notifiedAt: number;
  timer: Disposable | undefined;
}

/** Notifies listeners of changes of single threads. May delay a notification, but the last one is always sent. */
export class ThreadSubscriptions implements Disposable {
  private readonly subscriptions = new Set<Subscription>();

  /** `costMs` returns the duration of the last read of a thread, in milliseconds. */
  constructor(
    private readonly clock: Clock,
    private readonly readCostMs: (threadId: string) => number,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  /** Adds a listener. The caller must dispose the result. */
  add(threadId: string, listener: () => void): Disposable {
    const subscription: Subscription = { threadId, listener, notifiedAt: -Infinity, timer: undefined };
    this.subscriptions.add(subscription);
    return toDisposable(() => this.remove(subscription));
  }

  /** Notifies listeners. `threadIds` is undefined if any thread may have changed. */
  notify(threadIds: ReadonlySet<string> | undefined): void {
    for (const subscription of [...this.subscriptions]) {
      if (threadIds === undefined || threadIds.has(subscription.threadId)) this.schedule(subscription);
    }
  }

  dispose(): void {
    for (const subscription of [...this.subscriptions]) this.remove(subscription);
  }

  private schedule(subscription: Subscription): void {
    if (subscription.timer) return;
    const dueAt = subscription.notifiedAt + this.readCostMs(subscription.threadId) / processorShares.openThread;
    const delayMs = dueAt - this.clock.monotonicNow();
    if (delayMs > 0) subscription.timer = this.clock.setTimer(delayMs, () => this.callListener(subscription));
    else this.callListener(subscription);
  }

  private callListener(subscription: Subscription): void {
    subscription.timer = undefined;
    subscription.notifiedAt = this.clock.monotonicNow();
    try {
      subscription.listener();
    } catch (error) {
      this.onListenerError(error);
    }
  }

  private remove(subscription: Subscription): void {
    subscription.timer?.dispose();
    this.subscriptions.delete(subscription);
  }
}
