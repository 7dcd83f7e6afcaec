import { Coalescer, type Clock } from '../../../../base/common/async';
import type { Disposable } from '../../../../base/common/disposable';

const frameMs = 16;

/**
 * When updates are posted to a page: at most once per frame, and only after the page has shown the last one. Otherwise updates
 * that arrive faster than a page can show them would queue up there, and every key that the user types would wait behind them.
 */
export class PagePace implements Disposable {
  private readonly frameCoalescer: Coalescer;
  /** Whether the next update waits until the page has shown the last one. */
  private isWaiting = false;
  private unshownCount = 0;

  /** `post` posts what has changed, and calls `onPosted` for each update. */
  constructor(
    clock: Clock,
    private readonly post: () => void,
  ) {
    this.frameCoalescer = new Coalescer(clock, frameMs, () => {
      if (this.unshownCount === 0) this.post();
      else this.isWaiting = true;
    });
  }

  /** Posts in the next frame, or as soon as the page has shown the last update. */
  schedule(): void {
    if (!this.isWaiting) this.frameCoalescer.schedule();
  }

  /** Posts immediately if something is scheduled, whatever the page has shown. */
  flushNow(): void {
    this.frameCoalescer.flushNow();
    this.postWaiting();
  }

  onPosted(): void {
    this.unshownCount++;
  }

  /** The page has shown one of the updates, the oldest first. */
  onShown(): void {
    this.unshownCount = Math.max(0, this.unshownCount - 1);
    if (this.unshownCount === 0) this.postWaiting();
  }

  /** No longer waits for earlier updates. */
  forgetUnshown(): void {
    this.unshownCount = 0;
    this.postWaiting();
  }

  /** Cancels what is scheduled. `schedule` can be called again later. */
  dispose(): void {
    this.frameCoalescer.dispose();
    this.isWaiting = false;
    this.unshownCount = 0;
  }

  private postWaiting(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.post();
  }
}
