import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

const frameMs = 16;

/**
 * When updates are posted to a page: at most once per frame, and only after the page has shown the last one. Otherwise updates
 * that arrive faster than a page can show them would queue up there, and every key that the user types would wait behind them.
 */
export class PagePace implements Disposable {
  private timer: Disposable | undefined;
  /** Whether an update waits for the page. */
  private isDue = false;
  private unshownCount = 0;

  /** `post` posts what has changed, and calls `onPosted` for each update. */
  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    private readonly post: () => void,
  ) {}

  /** Posts in the next frame, or as soon as the page has shown the last update. */
  schedule(): void {
    if (this.isDue) return;
    this.timer ??= this.clock.setTimer(frameMs, () => {
      this.timer = undefined;
      if (this.unshownCount === 0) this.post();
      else this.isDue = true;
    });
  }

  /** Posts immediately if something is scheduled, whatever the page has shown. */
  flushNow(): void {
    if (this.timer || this.isDue) this.postNow();
  }

  onPosted(): void {
    this.unshownCount++;
  }

  /** The page has shown one of the updates, the oldest first. */
  onShown(): void {
    this.unshownCount = Math.max(0, this.unshownCount - 1);
    if (this.isDue && this.unshownCount === 0) this.postNow();
  }

  /** No longer waits for earlier updates. */
  forgetUnshown(): void {
    this.unshownCount = 0;
    if (this.isDue) this.postNow();
  }

  /** Cancels what is scheduled. `schedule` can be called again later. */
  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.isDue = false;
    this.unshownCount = 0;
  }

  private postNow(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.isDue = false;
    this.post();
  }
}
