import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

/** The page says every 5 s that it is there. */
const lookMs = 5_000;
const maxMissed = 3;

/**
 * Notices that a visible page has gone silent. Looks are counted, not time: a machine that slept has missed none of them.
 */
export class PageWatch implements Disposable {
  private timer: Disposable | undefined;
  private missed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onSilent: () => void,
  ) {}

  /** To be called when the page is shown; starting anew forgets what was missed. */
  start(): void {
    this.dispose();
    this.missed = 0;
    this.next();
  }

  /** To be called for whatever comes from the page. */
  heard(): void {
    this.missed = 0;
  }

  /** The page is hidden or gone. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }

  private next(): void {
    this.timer = this.clock.setTimer(lookMs, () => {
      this.timer = undefined;
      this.missed++;
      // One look more than pages may miss: the first one may come just before the page's.
      if (this.missed <= maxMissed) this.next();
      else this.onSilent();
    });
  }
}
