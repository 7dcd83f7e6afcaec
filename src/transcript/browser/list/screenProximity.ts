import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptModel } from './transcriptModel';

/** Entries up to three screens away count as near, so that they are already drawn when the reader scrolls fast. */
const nearScreens = 3;
/** Area of a character including gaps, in square pixels. The estimate is low, so that enough entries are drawn. */
const pixelsPerUnit = 100;
/** Maximum size of a collapsed prompt and of a card, in characters. */
const maxPromptUnits = 400;
const cardUnits = 60;

type ProximityListener = (isNear: boolean, height: number) => void;

/**
 * Tracks which entries are near the screen. Only those are formatted, because formatting takes time and memory. An entry
 * that is near but not on the screen is reported two frames later, so that the screen is drawn first.
 */
export class ScreenProximity implements Disposable {
  private observer: IntersectionObserver | undefined;
  /** Heights of the entries that came near and are not reported yet. */
  private readonly pendingHeightByElement = new Map<Element, number>();
  private reportFrameId: number | undefined;
  private readonly listenersByElement = new Map<Element, ProximityListener>();

  constructor(private readonly model: TranscriptModel) {}

  start(scroller: Element): void {
    this.observer = new IntersectionObserver(
      (changes) => {
        for (const change of changes) {
          const { target, isIntersecting, boundingClientRect } = change;
          this.pendingHeightByElement.delete(target);
          if (isIntersecting && !isOnScreen(change)) this.pendingHeightByElement.set(target, boundingClientRect.height);
          else this.listenersByElement.get(target)?.(isIntersecting, boundingClientRect.height);
        }
        if (this.pendingHeightByElement.size > 0) this.scheduleReport();
      },
      { root: scroller, rootMargin: `${nearScreens * 100}% 0px` },
    );
    for (const element of this.listenersByElement.keys()) this.observer.observe(element);
  }

  /** Calls the listener soon and on each change, with the element's height in pixels. The caller disposes it. */
  watch(element: Element, listener: ProximityListener): Disposable {
    this.listenersByElement.set(element, listener);
    this.observer?.observe(element);
    return {
      dispose: () => {
        this.listenersByElement.delete(element);
        this.pendingHeightByElement.delete(element);
        this.observer?.unobserve(element);
      },
    };
  }

  /** Estimates whether the entry is on the last screen. Uses text lengths, because there is no layout yet. */
  isLikelyOnLastScreen(id: string): boolean {
    let unitsLeft = (innerWidth * innerHeight) / pixelsPerUnit;
    for (let at = this.model.turns.length - 1; at >= 0; at--) {
      for (const other of this.model.turns[at]?.entryIds.toReversed() ?? []) {
        if (other === id) return true;
        const entry = this.model.get(other);
        unitsLeft -= entry ? estimateUnits(entry) : 0;
        if (unitsLeft < 0) return false;
      }
    }
    return false;
  }

  dispose(): void {
    this.observer?.disconnect();
    if (this.reportFrameId !== undefined) cancelAnimationFrame(this.reportFrameId);
    this.listenersByElement.clear();
    this.pendingHeightByElement.clear();
  }

  private scheduleReport(): void {
    // The screen is drawn in the first frame. At its end, the observer reports which entries that has moved away.
    this.reportFrameId ??= requestAnimationFrame(() => {
      const elements = [...this.pendingHeightByElement.keys()];
      this.reportFrameId = requestAnimationFrame(() => {
        this.reportFrameId = undefined;
        this.reportNear(elements);
      });
    });
  }

  private reportNear(elements: readonly Element[]): void {
    for (const element of elements) {
      const height = this.pendingHeightByElement.get(element);
      if (height === undefined) continue;
      this.pendingHeightByElement.delete(element);
      this.listenersByElement.get(element)?.(true, height);
    }
    if (this.pendingHeightByElement.size > 0) this.scheduleReport();
  }
}

function isOnScreen({ boundingClientRect: { top, bottom }, rootBounds }: IntersectionObserverEntry): boolean {
  if (!rootBounds) return true;
  const screenHeight = rootBounds.height / (2 * nearScreens + 1);
  const screenTop = rootBounds.top + nearScreens * screenHeight;
  return bottom > screenTop && top < screenTop + screenHeight;
}

function estimateUnits(entry: Entry): number {
  if (entry.kind === 'answer') return entry.text.length;
  if (entry.kind === 'prompt') return Math.min(entry.text.length, maxPromptUnits);
  return cardUnits;
}
