import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

/** Pages send a heartbeat every 5 s. */
const checkIntervalMs = 5_000;
const maxMissed = 3;

/** Detects a visible page that stopped responding. Counts missed checks instead of time, so that sleep doesn't trigger it. */
export class HeartbeatMonitor implements Disposable {
  private timer: Disposable | undefined;
  private missedChecks = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onUnresponsive: () => void,
  ) {}

  /** Call when the page is shown. Resets the count of missed checks. */
  start(): void {
    this.dispose();
    this.missedChecks = 0;
    this.scheduleCheck();
  }

  /** Call for every message from the page. */
  recordHeartbeat(): void {
    this.missedChecks = 0;
  }

  /** Call when the page is hidden or closed; `start` may follow. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private scheduleCheck(): void {
    this.timer = this.clock.setTimer(checkIntervalMs, () => {
      this.timer = undefined;
      this.missedChecks++;
      // One extra check, since the first may come just before the page's heartbeat.
      if (this.missedChecks <= maxMissed) this.scheduleCheck();
      else this.onUnresponsive();
    });
  }
}
