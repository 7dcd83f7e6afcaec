import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

const firstPauseMs = 3_000;
const maxQuietPauseMs = 30_000;
/** Pauses are this many times longer than the sweep before, so that sweeps take at most 5 % of the time. */
const pausePerSweep = 19;

/**
 * Sweeps for changes again and again while a turn runs, since a long command writes files before its tool call ends. Pauses become
 * longer while the agent reports nothing, and with the time that a sweep takes.
 */
export class RunningSweeps implements Disposable {
  private timer: Disposable | undefined;
  private quietPauseMs = firstPauseMs;
  private lastSweepMs = 0;
  private isRunning = false;

  constructor(
    private readonly clock: Clock,
    /** Never rejects. */
    private readonly sweep: () => Promise<void>,
  ) {}

  /** The agent has reported something: begins sweeping, with short pauses. */
  handleActivity(): void {
    this.quietPauseMs = firstPauseMs;
    if (this.isRunning) return;
    this.isRunning = true;
    this.schedule();
  }

  end(): void {
    this.isRunning = false;
    this.dispose();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private schedule(): void {
    this.timer?.dispose();
    const pauseMs = Math.max(this.quietPauseMs, this.lastSweepMs * pausePerSweep);
    this.timer = this.clock.setTimer(pauseMs, () => void this.sweepNow());
  }

  private async sweepNow(): Promise<void> {
    const startedAt = this.clock.monotonicNow();
    this.quietPauseMs = Math.min(maxQuietPauseMs, this.quietPauseMs * 2);
    await this.sweep();
    this.lastSweepMs = this.clock.monotonicNow() - startedAt;
    if (this.isRunning) this.schedule();
  }
}
