import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

interface Pace {
  /** Between the end of one run and the start of the next, at least. */
  readonly minMs: number;
  /** Of one processor, at most, 0 to 1: what costs much is done seldom. */
  readonly share: number;
}

/**
 * Runs work as often as it was asked for and as its cost allows: one at a time, the first at once after a rest, and again
 * after the last call.
 */
export class CostThrottle implements Disposable {
  private timer: Disposable | undefined;
  private isRunning = false;
  private isWanted = false;
  private isDisposed = false;
  private nextAt = -Infinity;

  /** `work` resolves to what it cost in milliseconds of a processor; what it throws goes to `onError`. */
  constructor(
    private readonly clock: Clock,
    private readonly pace: Pace,
    private readonly work: () => Promise<number>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** It has run, and its share does not allow it to run again yet. */
  get isResting(): boolean {
    return !this.isRunning && this.clock.monotonicNow() < this.nextAt;
  }

  touch(): void {
    if (this.isDisposed) return;
    this.isWanted = true;
    if (this.isRunning || this.timer) return;
    const { minMs } = this.pace;
    // After the first of a burst, too: the rest of it is about to come.
    const waitMs = Math.max(minMs, this.nextAt - this.clock.monotonicNow());
    this.timer = this.clock.setTimer(waitMs, () => {
      this.timer = undefined;
      this.isWanted = false;
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
    this.nextAt = this.clock.monotonicNow() + costMs / this.pace.share;
    if (this.isWanted) this.touch();
  }
}
