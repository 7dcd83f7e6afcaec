import { Coalescer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** Delay after a tool call, because it may have written files that it does not name. */
const delayAfterCallMs = 1_000;
const firstPauseMs = 3_000;
const maxQuietPauseMs = 30_000;
/** Ratio of a pause to the duration of the sweep before it, so that sweeps take at most 5 % of the time. */
const pausePerSweep = 19;

/**
 * Looks for changes (sweeps) after each tool call, and repeatedly while a turn runs, because a long command writes
 * files before its tool call ends. Pauses grow while the agent reports nothing, and with the duration of a sweep.
 */
export class RunningSweeps {
  private readonly sweepAfterCall: Coalescer;
  private timer: Disposable | undefined;
  private quietPauseMs = firstPauseMs;
  private lastSweepMs = 0;
  private isRunning = false;

  constructor(
    private readonly clock: Clock,
    /** Looks for changes once. Never rejects. */
    private readonly sweep: () => Promise<void>,
  ) {
    this.sweepAfterCall = new Coalescer(clock, delayAfterCallMs, () => void this.sweep());
  }

  observeEvent({ event }: SessionEvent): void {
    if (event === 'tool:post' || event === 'tool:error') this.sweepAfterCall.schedule();
    if (event === 'prompt:submit' || event === 'tool:pre') this.handleActivity();
  }

  end(): void {
    this.isRunning = false;
    this.sweepAfterCall.dispose();
    this.timer?.dispose();
  }

  /** Starts sweeping, or continues with short pauses. */
  private handleActivity(): void {
    this.quietPauseMs = firstPauseMs;
    if (this.isRunning) return;
    this.isRunning = true;
    this.schedule();
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
