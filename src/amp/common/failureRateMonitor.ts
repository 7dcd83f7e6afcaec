import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** The counts of the answers in the last minute. Exists if too many of them have failed. */
export interface FailureCounts {
  readonly failedCount: number;
  readonly totalCount: number;
}

const windowMs = 60_000;
/** Length of a time slice. Answers are counted per slice, so that many answers do not use more memory. */
const sliceMs = 5_000;
/** Minimum number of failed requests for a warning. A single slow file must not cause one. */
const minFailed = 3;
const minShare = 0.25;

interface Slice {
  readonly startedAt: number;
  failedCount: number;
  totalCount: number;
}

/** Counts failed answers in the last minute. Reports when there are too many, and when this is over. */
export class FailureRateMonitor implements Disposable {
  private timeSlices: Slice[] = [];
  private updateTimer: Disposable | undefined;
  private isFailing = false;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {}

  get failureCountsIfFailing(): FailureCounts | undefined {
    return this.isFailing ? this.countAnswers() : undefined;
  }

  record(hasFailed: boolean): void {
    if (this.isDisposed) return;
    const now = this.clock.monotonicNow();
    let slice = this.timeSlices.at(-1);
    if (!slice || now - slice.startedAt >= sliceMs) {
      slice = { startedAt: now, failedCount: 0, totalCount: 0 };
      this.timeSlices.push(slice);
    }
    slice.totalCount++;
    if (!hasFailed) return;
    slice.failedCount++;
    this.updateIsFailing();
  }

  dispose(): void {
    this.isDisposed = true;
    this.updateTimer?.dispose();
  }

  private updateIsFailing(): void {
    const { failedCount, totalCount } = this.countAnswers();
    const isFailing = failedCount >= minFailed && failedCount / totalCount >= minShare;
    // The timer detects the recovery even if no further requests arrive.
    if (isFailing) this.updateTimer ??= this.clock.setTimer(sliceMs, () => this.updateOnTimer());
    if (isFailing === this.isFailing) return;
    this.isFailing = isFailing;
    this.onDidChange();
  }

  private updateOnTimer(): void {
    this.updateTimer = undefined;
    this.updateIsFailing();
    if (this.isFailing) this.onDidChange();
  }

  private countAnswers(): FailureCounts {
    const now = this.clock.monotonicNow();
    this.timeSlices = this.timeSlices.filter(({ startedAt }) => now - startedAt < windowMs);
    return this.timeSlices.reduce(
      (sum, { failedCount, totalCount }) => ({
        failedCount: sum.failedCount + failedCount,
        totalCount: sum.totalCount + totalCount,
      }),
      {
        failedCount: 0,
        totalCount: 0,
      },
    );
  }
}
