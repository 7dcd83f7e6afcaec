import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

/** Pages send a heartbeat every 5 s. */
const lookMs = 5_000;
const maxMissed = 3;

/** Detects a visible page that stopped responding. Counts missed checks instead of time, so that sleep doesn't trigger it. */
export class PageWatch implements Disposable {
  private timer: Disposable | undefined;
  private missed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onSilent: () => void,
  ) {}

  /** Call when the page is shown. Resets the count of missed checks. */
  start(): void {
    this.dispose();
    this.missed = 0;
    this.next();
  }

  /** Call for every message from the page. */
  heard(): void {
    this.missed = 0;
  }

  /** Call when the page is hidden or closed; `start` may follow. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private next(): void {
    this.timer = this.clock.setTimer(lookMs, () => {
      this.timer = undefined;
      this.missed++;
      // One extra check, since the first may come just before the page's heartbeat.
      if (this.missed <= maxMissed) this.next();
      else this.onSilent();
    });
  }
}
