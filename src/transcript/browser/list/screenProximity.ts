import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptModel } from './transcriptModel';

/** Entries up to three screens away count as near, so that they are already drawn when the reader scrolls fast. */
const nearMargin = '300% 0px';
/** Area of a character including gaps, in square pixels. The estimate is low, so that enough entries are drawn. */
const pixelsPerUnit = 100;
/** Maximum size of a collapsed prompt and of a card, in characters. */
const maxPromptUnits = 400;
const cardUnits = 60;

type ProximityListener = (isNear: boolean, height: number) => void;

/** Tracks which entries are near the screen. Only those are formatted, because formatting takes time and memory. */
export class ScreenProximity implements Disposable {
  private observer: IntersectionObserver | undefined;
  private readonly listenersByElement = new Map<Element, ProximityListener>();

  constructor(private readonly model: TranscriptModel) {}

  start(scroller: Element): void {
    this.observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting, boundingClientRect } of changes) {
          this.listenersByElement.get(target)?.(isIntersecting, boundingClientRect.height);
        }
      },
      { root: scroller, rootMargin: nearMargin },
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
    this.listenersByElement.clear();
  }
}

function estimateUnits(entry: Entry): number {
  if (entry.kind === 'answer') return entry.text.length;
  if (entry.kind === 'prompt') return Math.min(entry.text.length, maxPromptUnits);
  return cardUnits;
}
