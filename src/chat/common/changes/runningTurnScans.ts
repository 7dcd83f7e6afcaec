import { Coalescer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** Delay after a tool call, because it may have written files that it does not name. */
const delayAfterCallMs = 1_000;
const firstPauseMs = 3_000;
const maxQuietPauseMs = 30_000;
/** Ratio of a pause to the duration of the scan before it, so that scans take at most 5 % of the time. */
const pauseFactor = 19;

/**
 * Scans for changes after each tool call, and repeatedly while a turn runs, because a long command writes
 * files before its tool call ends. Pauses grow while the agent reports nothing, and with the duration of a scan.
 */
export class RunningTurnScans {
  private readonly scanAfterCall: Coalescer;
  private timer: Disposable | undefined;
  private quietPauseMs = firstPauseMs;
  private lastScanMs = 0;
  private isRunning = false;

  constructor(
    private readonly clock: Clock,
    /** Looks for changes once. Never rejects. */
    private readonly scan: () => Promise<void>,
  ) {
    this.scanAfterCall = new Coalescer(clock, delayAfterCallMs, () => void this.scan());
  }

  observeEvent({ event }: SessionEvent): void {
    if (event === 'tool:post' || event === 'tool:error') this.scanAfterCall.schedule();
    if (event === 'prompt:submit' || event === 'tool:pre') this.handleActivity();
  }

  end(): void {
    this.isRunning = false;
    this.scanAfterCall.dispose();
    this.timer?.dispose();
  }

  /** Starts scanning, or continues with short pauses. */
  private handleActivity(): void {
    this.quietPauseMs = firstPauseMs;
    if (this.isRunning) return;
    this.isRunning = true;
    this.schedule();
  }

  private schedule(): void {
    this.timer?.dispose();
    const pauseMs = Math.max(this.quietPauseMs, this.lastScanMs * pauseFactor);
    this.timer = this.clock.setTimer(pauseMs, () => void this.scanNow());
  }

  private async scanNow(): Promise<void> {
    const startedAt = this.clock.monotonicNow();
    this.quietPauseMs = Math.min(maxQuietPauseMs, this.quietPauseMs * 2);
    await this.scan();
    this.lastScanMs = this.clock.monotonicNow() - startedAt;
    if (this.isRunning) this.schedule();
  }
}
