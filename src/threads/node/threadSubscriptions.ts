import type { Clock } from '../../base/common/async';
import { toDisposable, type Disposable } from '../../base/common/disposable';

interface Subscription {
  readonly threadId: string;
  readonly tell: () => void;
  toldAt: number;
  timer: Disposable | undefined;
}

/** A thread that takes long to be read is told of less often: reading it takes a share of a core at most. */
const pauseForCost = 24;

/** Who follows which thread. The last change is never lost, only told later. */
export class ThreadSubscriptions implements Disposable {
  private readonly all = new Set<Subscription>();

  /** `costMs`: what the last reading of a thread took. */
  constructor(
    private readonly clock: Clock,
    private readonly costMs: (threadId: string) => number,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  /** The caller disposes. */
  add(threadId: string, listener: () => void): Disposable {
    const subscription: Subscription = { threadId, tell: listener, toldAt: -Infinity, timer: undefined };
    this.all.add(subscription);
    return toDisposable(() => this.remove(subscription));
  }

  /** Undefined when it is not known which threads have changed. */
  changed(threadIds: ReadonlySet<string> | undefined): void {
    for (const subscription of [...this.all]) {
      if (threadIds === undefined || threadIds.has(subscription.threadId)) this.schedule(subscription);
    }
  }

  dispose(): void {
    for (const subscription of [...this.all]) this.remove(subscription);
  }

  private schedule(subscription: Subscription): void {
    if (subscription.timer) return;
    const dueAt = subscription.toldAt + this.costMs(subscription.threadId) * pauseForCost;
    const delayMs = dueAt - this.clock.monotonicNow();
    if (delayMs > 0) subscription.timer = this.clock.setTimer(delayMs, () => this.tell(subscription));
    else this.tell(subscription);
  }

  private tell(subscription: Subscription): void {
    subscription.timer = undefined;
    subscription.toldAt = this.clock.monotonicNow();
    try {
      subscription.tell();
    } catch (error) {
      this.onListenerError(error);
    }
  }

  private remove(subscription: Subscription): void {
    subscription.timer?.dispose();
    this.all.delete(subscription);
  }
}
