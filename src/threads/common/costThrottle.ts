import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

interface Pace {
  /** Minimum pause before a run, in milliseconds. */
  readonly minMs: number;
  /** Maximum share of one processor, from 0 to 1. */
  readonly share: number;
}

/** Runs work repeatedly on request, one run at a time. The pauses are proportional to the cost of the work. */
export class CostThrottle implements Disposable {
  private timer: Disposable | undefined;
  private isRunning = false;
  private isRequested = false;
  private isDisposed = false;
  private nextRunAtMs = -Infinity;

  /** `work` resolves to its cost in milliseconds of processor time. Its errors go to `onError`. */
  constructor(
    private readonly clock: Clock,
    private readonly limits: Pace,
    private readonly work: () => Promise<number>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether the next run must wait because the last one was expensive. */
  get isPausing(): boolean {
    return !this.isRunning && this.clock.monotonicNow() < this.nextRunAtMs;
  }

  /** Requests a run, which starts when the pause has ended. */
  schedule(): void {
    if (this.isDisposed) return;
    this.isRequested = true;
    if (this.isRunning || this.timer) return;
    // The first request of a burst also waits, because more requests will probably follow.
    const waitMs = Math.max(this.limits.minMs, this.nextRunAtMs - this.clock.monotonicNow());
    this.timer = this.clock.setTimer(waitMs, () => {
      this.timer = undefined;
      this.isRequested = false;
      void this.run();
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
    this.timer = undefined;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    let costMs = 0;
    try {
      costMs = await this.work();
    } catch (error) {
      this.onError(error);
    }
    this.isRunning = false;
    this.nextRunAtMs = this.clock.monotonicNow() + costMs / this.limits.share;
    if (this.isRequested) this.schedule();
  }
}
