import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';

/** Closer to the end than this is at the end. */
const nearPx = 24;

/** How long heights change after something else came into sight. */
const settleFrames = 4;

/** Where an element is to be, as `getBoundingClientRect` tells it. */
interface Place {
  readonly element: Element;
  readonly top: number;
}

/**
 * Holds the reader's place: at the end it follows what comes, anywhere else nothing moves what is being read. The browser's
 * own scroll anchoring keeps the place when something above changes its height; what comes before everything is held here,
 * since the browser does not anchor at the very top.
 */
export class ScrollKeeper implements Disposable {
  private readonly store = new DisposableStore();
  private isFollowing = true;
  private lastTop = 0;
  /** The user has just clicked: what grows now was asked for, and is looked at where it is. */
  private isHeld = false;
  private anchor: Place | undefined;
  private pinned: Place | undefined;

  /** `onChange` hears whether the end is followed; `hasEnd` is false while the last entries are not loaded. */
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

  /** Before entries are put before all others: remembers where the first visible one is. */
  keepPlace(): void {
    const top = this.scroller.getBoundingClientRect().top;
    const entries = this.content.querySelectorAll('.entry');
    const element = [...entries].find((entry) => entry.getBoundingClientRect().bottom > top);
    this.anchor = element && { element, top: element.getBoundingClientRect().top };
  }

  /** After they are there. */
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

  /** What comes has another end. */
  leaveEnd(): void {
    this.pinned = undefined;
    this.follow(false);
  }

  /** Puts the element below the top edge. */
  toElement(element: Element): void {
    this.follow(false);
    this.pin({ element, top: this.scroller.getBoundingClientRect().top + nearPx / 3 });
  }

  dispose(): void {
    this.pinned = undefined;
    this.store.dispose();
  }

  /**
   * Puts an element where it is to be, and again for some frames: what is drawn only near the screen turns out to be of
   * another height than was thought. The user's own scrolling ends it.
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
      // Where everything is in sight nothing can be scrolled, and no scrolling would tell.
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

  /** Only moving up leaves the end: when the content grows first, the place looks far from the end for a moment. */
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
