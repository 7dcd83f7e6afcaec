import type { Clock } from '../../../../base/common/async';
import type { Disposable } from '../../../../base/common/disposable';

/** How often heartbeats are checked, in milliseconds. Pages send one every 5 s. */
const checkIntervalMs = 5_000;
const maxMissed = 3;

/** Detects a visible page that no longer responds. Counts missed checks and not time, because of sleep. */
export class HeartbeatMonitor implements Disposable {
  private timer: Disposable | undefined;
  private missedChecks = 0;
  /** Whether it was reported that the page does not respond. It is watched again when it does. */
  private isReported = false;

  constructor(
    private readonly clock: Clock,
    private readonly onUnresponsive: () => void,
  ) {}

  /** Call when the page is shown. Resets the count of missed checks. */
  start(): void {
    this.dispose();
    this.missedChecks = 0;
    this.isReported = false;
    this.scheduleCheck();
  }

  /** Call for every message from the page. */
  recordHeartbeat(): void {
    this.missedChecks = 0;
    if (this.isReported) this.start();
  }

  /** Call when the page is hidden or closed. `start` can be called again later. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.isReported = false;
  }

  private scheduleCheck(): void {
    this.timer = this.clock.setTimer(checkIntervalMs, () => {
      this.timer = undefined;
      this.missedChecks++;
      // There is one additional check, because the first may run just before the heartbeat of the page.
      if (this.missedChecks <= maxMissed) this.scheduleCheck();
      else {
        this.isReported = true;
        this.onUnresponsive();
      }
    });
  }
}
