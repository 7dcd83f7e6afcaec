import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** Counts the answers of the last minute, if too many of them failed. */
export interface FailingAnswers {
  readonly failed: number;
  readonly all: number;
}

const windowMs = 60_000;
/** Answers are counted in slices of this length, to bound the memory that a flood of them takes. */
const sliceMs = 5_000;
/** A single slow file should not alarm the user. */
const minFailed = 3;
const minShare = 0.25;

interface Slice {
  readonly startedAt: number;
  failed: number;
  all: number;
}

/** Counts failed answers over the last minute. Reports when there are too many, and when there no longer are. */
export class AnswerHealth implements Disposable {
  private slices: Slice[] = [];
  private timer: Disposable | undefined;
  private wasFailing = false;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {}

  /** Undefined while few answers fail. */
  get failing(): FailingAnswers | undefined {
    return this.wasFailing ? this.count() : undefined;
  }

  record(hasFailed: boolean): void {
    if (this.isDisposed) return;
    const now = this.clock.monotonicNow();
    let slice = this.slices.at(-1);
    if (!slice || now - slice.startedAt >= sliceMs) {
      slice = { startedAt: now, failed: 0, all: 0 };
      this.slices.push(slice);
    }
    slice.all++;
    if (!hasFailed) return;
    slice.failed++;
    this.assess();
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }

  private assess(): void {
    const { failed, all } = this.count();
    const isFailing = failed >= minFailed && failed / all >= minShare;
    // Notices the recovery even if no further requests arrive.
    if (isFailing) this.timer ??= this.clock.setTimer(sliceMs, () => this.assessAgain());
    if (isFailing === this.wasFailing) return;
    this.wasFailing = isFailing;
    this.onDidChange();
  }

  private assessAgain(): void {
    this.timer = undefined;
    this.assess();
    if (this.wasFailing) this.onDidChange();
  }

  private count(): FailingAnswers {
    const now = this.clock.monotonicNow();
    this.slices = this.slices.filter(({ startedAt }) => now - startedAt < windowMs);
    return this.slices.reduce((sum, { failed, all }) => ({ failed: sum.failed + failed, all: sum.all + all }), {
      failed: 0,
      all: 0,
    });
  }
}
