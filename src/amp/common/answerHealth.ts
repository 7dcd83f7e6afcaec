import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** Answers of the last minute, when too many of them have failed. */
export interface FailingAnswers {
  readonly failed: number;
  readonly all: number;
}

const windowMs = 60_000;
/** Answers are counted in slices of this length, so that a flood of them takes no memory. */
const sliceMs = 5_000;
/** One slow file is no reason to alarm the user. */
const minFailed = 3;
const minShare = 0.25;

interface Slice {
  readonly startedAt: number;
  failed: number;
  all: number;
}

/** Watches how many answers have failed within the last minute. It says so when it is too many, and when it is over. */
export class AnswerHealth implements Disposable {
  private slices: Slice[] = [];
  private timer: Disposable | undefined;
  private wasFailing = false;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {}

  /** Undefined when all is well. */
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
    // What fails no more is noticed although nobody asks anything.
    if (isFailing) this.timer ??= this.clock.setTimer(sliceMs, () => this.assessAgain());
    if (isFailing === this.wasFailing) return;
    this.wasFailing = isFailing;
    this.onDidChange();
  }

  private assessAgain(): void {
    this.timer = undefined;
    this.assess();
    // The figures have changed.
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
