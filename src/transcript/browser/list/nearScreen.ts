import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptModel } from './transcriptModel';

/** Entries up to three screens away are near, so that fast scrolling finds them drawn. */
const margin = '300% 0px';
/** Area of a character including gaps, in square pixels. A low estimate, so that enough is drawn. */
const pixelsPerUnit = 100;
/** Maximum size of a collapsed prompt and of a card, in characters. */
const foldedUnits = 400;
const cardUnits = 60;

type Listener = (isNear: boolean, height: number) => void;

/** Tracks which entries are near the screen. Only those are formatted, which takes time and memory. */
export class NearScreen implements Disposable {
  private observer: IntersectionObserver | undefined;
  private readonly listeners = new Map<Element, Listener>();

  constructor(private readonly model: TranscriptModel) {}

  start(scroller: Element): void {
    this.observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting, boundingClientRect } of changes) {
          this.listeners.get(target)?.(isIntersecting, boundingClientRect.height);
        }
      },
      { root: scroller, rootMargin: margin },
    );
    for (const element of this.listeners.keys()) this.observer.observe(element);
  }

  /** Calls the listener soon and on each change, with the element's height in pixels. The caller disposes it. */
  watch(element: Element, listener: Listener): Disposable {
    this.listeners.set(element, listener);
    this.observer?.observe(element);
    return {
      dispose: () => {
        this.listeners.delete(element);
        this.observer?.unobserve(element);
      },
    };
  }

  /** Estimates from the text lengths, before any layout, whether the entry is on the last screen. */
  isOnLastScreen(id: string): boolean {
    let unitsLeft = (innerWidth * innerHeight) / pixelsPerUnit;
    for (let at = this.model.turns.length - 1; at >= 0; at--) {
      for (const other of this.model.turns[at]?.ids.toReversed() ?? []) {
        if (other === id) return true;
        const entry = this.model.get(other);
        unitsLeft -= entry ? unitsOf(entry) : 0;
        if (unitsLeft < 0) return false;
      }
    }
    return false;
  }

  dispose(): void {
    this.observer?.disconnect();
    this.listeners.clear();
  }
}

function unitsOf(entry: Entry): number {
  if (entry.kind === 'answer') return entry.text.length;
  if (entry.kind === 'prompt') return Math.min(entry.text.length, foldedUnits);
  return cardUnits;
}
