import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';

/** Within this distance the list counts as scrolled to the end. */
const nearPx = 24;

/** How many frames heights may change after a jump. */
const settleFrames = 4;

/** Target position of an element, relative to the viewport. */
interface Place {
  readonly element: Element;
  readonly top: number;
}

/**
 * Keeps the reader's scroll position, or follows the end if the reader is there. The browser's scroll anchoring handles
 * changes above, except at the very top, so entries loaded before all others are handled here.
 */
export class ScrollKeeper implements Disposable {
  private readonly store = new DisposableStore();
  private isFollowing = true;
  private lastTop = 0;
  /** Set right after a click: content that grows now was opened by the user and stays in place. */
  private isHeld = false;
  private anchor: Place | undefined;
  private pinned: Place | undefined;

  /** `onChange` is called when following the end starts or stops. `hasEnd` is false while the last entries are not loaded. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly content: HTMLElement,
    private readonly hasEnd: () => boolean,
    private readonly onChange: (isFollowing: boolean) => void,
  ) {}

  start(): void {
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(this.content);
    observer.observe(this.scroller);
    const onScroll = (): void => this.didScroll();
    const onClick = (): void => this.hold();
    this.scroller.addEventListener('scroll', onScroll, { passive: true });
    this.content.addEventListener('click', onClick, { capture: true });
    const onInput = (): void => {
      this.pinned = undefined;
    };
    const inputs = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const input of inputs) this.scroller.addEventListener(input, onInput, { passive: true });
    this.store.add(
      toDisposable(() => {
        observer.disconnect();
        this.scroller.removeEventListener('scroll', onScroll);
        this.content.removeEventListener('click', onClick, { capture: true });
        for (const input of inputs) this.scroller.removeEventListener(input, onInput);
      }),
    );
    this.settle();
  }

  /** Call before entries are prepended: remembers the position of the first visible one. */
  keepPlace(): void {
    const top = this.scroller.getBoundingClientRect().top;
    const entries = this.content.querySelectorAll('.entry');
    const element = [...entries].find((entry) => entry.getBoundingClientRect().bottom > top);
    this.anchor = element && { element, top: element.getBoundingClientRect().top };
  }

  /** Call after entries were prepended. */
  restorePlace(): void {
    const { anchor } = this;
    this.anchor = undefined;
    if (anchor?.element.isConnected && !this.isFollowing) this.pin(anchor);
  }

  toLatest(): void {
    this.pinned = undefined;
    this.follow(true);
    this.settle();
  }

  /** Stops following when the loaded range no longer includes the end. */
  leaveEnd(): void {
    this.pinned = undefined;
    this.follow(false);
  }

  /** Scrolls the element to the top edge. */
  toElement(element: Element): void {
    this.follow(false);
    this.pin({ element, top: this.scroller.getBoundingClientRect().top + nearPx / 3 });
  }

  dispose(): void {
    this.pinned = undefined;
    this.store.dispose();
  }

  /**
   * Holds an element at a position for some frames, since entries change their height when they are drawn near the
   * screen. Scrolling by the user ends it.
   */
  private pin(pinned: Place): void {
    this.pinned = pinned;
    let framesLeft = settleFrames;
    const step = (): void => {
      if (this.pinned !== pinned) return;
      this.scroller.scrollTop += pinned.element.getBoundingClientRect().top - pinned.top;
      this.lastTop = this.scroller.scrollTop;
      if (framesLeft-- > 0) {
        requestAnimationFrame(step);
        return;
      }
      this.pinned = undefined;
      // Without a scrollbar there are no scroll events.
      if (this.isAtEnd) this.follow(true);
    };
    step();
  }

  private get isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return this.hasEnd() && scrollHeight - scrollTop - clientHeight < nearPx;
  }

  private settle(): void {
    if (!this.isFollowing) return;
    if (this.isHeld) {
      this.follow(this.isAtEnd);
      return;
    }
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Only scrolling up stops following: content that grows first looks like a distance from the end. */
  private didScroll(): void {
    const { scrollTop } = this.scroller;
    if (this.isAtEnd) this.follow(true);
    else if (scrollTop < this.lastTop - 1) this.follow(false);
    this.lastTop = scrollTop;
  }

  private follow(isFollowing: boolean): void {
    if (this.isFollowing === isFollowing) return;
    this.isFollowing = isFollowing;
    this.onChange(isFollowing);
  }

  private hold(): void {
    this.isHeld = true;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        this.isHeld = false;
      }),
    );
  }
}
