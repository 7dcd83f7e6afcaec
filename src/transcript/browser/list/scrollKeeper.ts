import type { Disposable } from '../../../base/common/disposable';

/** If the end of the list is within this distance in pixels, the list counts as scrolled to the end. */
const nearPx = 24;

/** Number of frames after a jump in which heights may still change. */
const settleFrames = 4;

/** Target position of an element, relative to the viewport. */
interface ScrollTarget {
  readonly element: Element;
  readonly top: number;
}

/**
 * Keeps the reader's scroll position, or follows the end if the reader is there. The browser's scroll anchoring handles
 * changes above the visible part, except at the very top. Therefore this class handles entries that are added at the
 * start.
 */
export class ScrollKeeper implements Disposable {
  private readonly listenersAbortController = new AbortController();
  private isFollowing = true;
  private lastScrollTop = 0;
  /** Set immediately after a click: content that now grows was opened by the user and stays in place. */
  private isHoldingPosition = false;
  private savedPosition: ScrollTarget | undefined;
  private pinnedTarget: ScrollTarget | undefined;

  /** `onFollowingChange`: following starts or stops. `isEndLoaded`: whether the last entries are loaded. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly content: HTMLElement,
    private readonly isEndLoaded: () => boolean,
    private readonly onFollowingChange: (isFollowing: boolean) => void,
  ) {}

  start(): void {
    const observer = new ResizeObserver(() => this.scrollIfFollowing());
    observer.observe(this.content);
    observer.observe(this.scroller);
    const { signal } = this.listenersAbortController;
    this.scroller.addEventListener('scroll', () => this.onScroll(), { passive: true, signal });
    this.content.addEventListener('click', () => this.holdPosition(), { capture: true, signal });
    const onInput = (): void => {
      this.pinnedTarget = undefined;
    };
    for (const input of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      this.scroller.addEventListener(input, onInput, { passive: true, signal });
    }
    signal.addEventListener('abort', () => observer.disconnect());
    this.scrollIfFollowing();
  }

  /** Stores the position of the first visible entry. Call before entries are added at the start. */
  savePosition(): void {
    const element = firstEntryInSight(this.scroller);
    this.savedPosition = element && { element, top: element.getBoundingClientRect().top };
  }

  restorePosition(): void {
    const { savedPosition } = this;
    this.savedPosition = undefined;
    if (this.isFollowing) this.scrollIfFollowing();
    else if (savedPosition?.element.isConnected) this.pinElement(savedPosition);
  }

  scrollToEnd(): void {
    this.pinnedTarget = undefined;
    this.setFollowing(true);
    this.scrollIfFollowing();
  }

  /** Stops following, because the loaded range no longer includes the end. */
  stopFollowing(): void {
    if (!this.isFollowing) return;
    this.pinnedTarget = undefined;
    this.setFollowing(false);
  }

  scrollToElement(element: Element): void {
    this.setFollowing(false);
    this.pinElement({ element, top: this.scroller.getBoundingClientRect().top + nearPx / 3 });
  }

  dispose(): void {
    this.pinnedTarget = undefined;
    this.listenersAbortController.abort();
  }

  /**
   * Keeps an element at a position for some frames, because entries change their height when they are drawn near the
   * screen. Scrolling by the user ends this.
   */
  private pinElement(pinned: ScrollTarget): void {
    this.pinnedTarget = pinned;
    let framesLeft = settleFrames;
    const step = (): void => {
      if (this.pinnedTarget !== pinned) return;
      this.scroller.scrollTop += pinned.element.getBoundingClientRect().top - pinned.top;
      this.lastScrollTop = this.scroller.scrollTop;
      if (framesLeft-- > 0) {
        requestAnimationFrame(step);
        return;
      }
      this.pinnedTarget = undefined;
      // Without a scrollbar, there are no scroll events.
      if (this.isAtEnd) this.setFollowing(true);
    };
    step();
  }

  private get isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return this.isEndLoaded() && scrollHeight - scrollTop - clientHeight < nearPx;
  }

  private scrollIfFollowing(): void {
    if (!this.isFollowing) return;
    if (this.isHoldingPosition) {
      this.setFollowing(this.isAtEnd);
      return;
    }
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.lastScrollTop = this.scroller.scrollTop;
  }

  /** Following stops only if the reader scrolls up: growing content also increases the distance from the end. */
  private onScroll(): void {
    const { scrollTop } = this.scroller;
    if (this.isAtEnd) this.setFollowing(true);
    else if (scrollTop < this.lastScrollTop - 1) this.setFollowing(false);
    this.lastScrollTop = scrollTop;
  }

  private setFollowing(isFollowing: boolean): void {
    if (this.isFollowing === isFollowing) return;
    this.isFollowing = isFollowing;
    this.onFollowingChange(isFollowing);
  }

  private holdPosition(): void {
    this.isHoldingPosition = true;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.isHoldingPosition = false;
      }),
    );
  }
}

export function firstEntryInSight(scroller: Element): HTMLElement | undefined {
  const { top } = scroller.getBoundingClientRect();
  const entries = scroller.querySelectorAll<HTMLElement>('.turn > .entry');
  return [...entries].find((entry) => entry.getBoundingClientRect().bottom > top);
}
