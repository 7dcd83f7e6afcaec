import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A prompt that is this far below the top edge is being read. */
const readingPx = 80;

/** By these a reader scrolls. */
const inputs = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** An entry that was gone to; the next scrolling after an input is the reader's own, and leaves it. */
interface Goal {
  readonly entry: Element;
  hasInput: boolean;
}

interface CurrentPrompt {
  readonly id: string | undefined;
  /** To be called with each entry that the list scrolls to. */
  readonly onGoTo: (entry: Element) => void;
}

/**
 * The prompt that is being read: that of the entry that was gone to, until the reader scrolls on (an entry near the end
 * does not come to the top); else the one at the top of the screen.
 */
export function useCurrentPrompt(root: RefObject<HTMLElement | null>, isThere: boolean): CurrentPrompt {
  const [id, setId] = useState<string>();
  const goal = useRef<Goal | undefined>(undefined);
  const updateLater = useRef<() => void>(undefined);
  useEffect(() => {
    const scroller = root.current?.querySelector('.transcript-scroll');
    if (!scroller) return;
    let frame: number | undefined;
    const update = (): void => {
      frame = undefined;
      if (goal.current && !isInSight(goal.current.entry, scroller)) goal.current = undefined;
      setId((goal.current && promptOf(goal.current.entry)) ?? promptAtTop(scroller));
    };
    const later = (): void => {
      frame ??= requestAnimationFrame(update);
    };
    const onScroll = (): void => {
      if (goal.current?.hasInput) goal.current = undefined;
      later();
    };
    const onInput = (): void => {
      if (goal.current) goal.current.hasInput = true;
    };
    updateLater.current = later;
    scroller.addEventListener('scroll', onScroll, { passive: true });
    for (const input of inputs) scroller.addEventListener(input, onInput, { passive: true });
    const observer = new ResizeObserver(later);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    later();
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      for (const input of inputs) scroller.removeEventListener(input, onInput);
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [root, isThere]);
  const onGoTo = useCallback((entry: Element): void => {
    goal.current = { entry, hasInput: false };
    updateLater.current?.();
  }, []);
  return { id, onGoTo };
}

function isInSight(entry: Element, scroller: Element): boolean {
  const [{ top, bottom }, screen] = [entry.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return entry.isConnected && bottom > screen.top && top < screen.bottom;
}

function promptOf(entry: Element): string | undefined {
  return entry.closest('.turn')?.querySelector<HTMLElement>(':scope > .entry-prompt')?.dataset['entry'];
}

/**
 * The first prompt that begins in sight when that is near the top edge, else the one before it. Found by halves: there may
 * be hundreds, and each that is measured costs.
 */
function promptAtTop(scroller: Element): string | undefined {
  const prompts = [...scroller.querySelectorAll<HTMLElement>('.turn > .entry-prompt')];
  const edge = scroller.getBoundingClientRect().top;
  const topOf = (index: number): number => prompts[index]?.getBoundingClientRect().top ?? Infinity;
  let low = 0;
  let high = prompts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (topOf(middle) < edge) low = middle + 1;
    else high = middle;
  }
  const index = topOf(low) <= edge + readingPx ? low : Math.max(0, low - 1);
  return prompts[index]?.dataset['entry'];
}
