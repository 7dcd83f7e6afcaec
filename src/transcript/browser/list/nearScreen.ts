import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptModel } from './transcriptModel';

/** Farther than three screens away nothing is needed, however fast the reader scrolls. */
const margin = '300% 0px';
/** What a character takes, with the gaps around it, in square pixels: a little less than it does, so that enough is drawn. */
const pixelsPerUnit = 100;
/** What a prompt or a card takes at most at first, in characters. */
const foldedUnits = 400;
const cardUnits = 60;

type Listener = (isNear: boolean, height: number) => void;

/** Knows which entries are near the screen: what is formatted costs time and memory, a text alone does not. */
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

  /** The listener hears of each change, and its height in pixels, for the first time soon. The caller disposes it. */
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

  /** Whether the entry will stand on the last screen: told from the texts, before anything is laid out. */
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
