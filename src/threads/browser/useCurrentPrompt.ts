import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Maximum distance in pixels between the top edge and a prompt that counts as being read. */
const readingDistancePx = 80;

/** Events that are caused by a user who scrolls. */
const inputEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** An entry to which the page has jumped. */
interface JumpTarget {
  readonly entry: Element;
  /** Whether there was user input since the jump. If so, the next scrolling leaves the entry. */
  hasInput: boolean;
}

interface CurrentPrompt {
  readonly id: string | undefined;
  /** Call with each entry to which the list scrolls. */
  readonly onGoTo: (entry: Element) => void;
}

/**
 * Returns the prompt that the user is reading. After a jump, this is the prompt of the target, because entries near the
 * end cannot scroll to the top. Otherwise it is the prompt at the top of the screen. `isRendered`: the transcript is in
 * the DOM.
 */
export function useCurrentPrompt(root: RefObject<HTMLElement | null>, isRendered: boolean): CurrentPrompt {
  const [id, setId] = useState<string>();
  const target = useRef<JumpTarget | undefined>(undefined);
  const updateLater = useRef<() => void>(undefined);
  useEffect(() => {
    const scroller = root.current?.querySelector('.transcript-scroll');
    if (!scroller) return;
    let frame: number | undefined;
    const update = (): void => {
      frame = undefined;
      if (target.current && !isVisible(target.current.entry, scroller)) target.current = undefined;
      setId((target.current && promptOf(target.current.entry)) ?? promptAtTop(scroller));
    };
    const later = (): void => {
      frame ??= requestAnimationFrame(update);
    };
    const onScroll = (): void => {
      if (target.current?.hasInput) target.current = undefined;
      later();
    };
    const onInput = (): void => {
      if (target.current) target.current.hasInput = true;
    };
    updateLater.current = later;
    scroller.addEventListener('scroll', onScroll, { passive: true });
    for (const input of inputEvents) scroller.addEventListener(input, onInput, { passive: true });
    const observer = new ResizeObserver(later);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    later();
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      for (const input of inputEvents) scroller.removeEventListener(input, onInput);
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [root, isRendered]);
  const onGoTo = useCallback((entry: Element): void => {
    target.current = { entry, hasInput: false };
    updateLater.current?.();
  }, []);
  return { id, onGoTo };
}

function isVisible(entry: Element, scroller: Element): boolean {
  const [{ top, bottom }, screen] = [entry.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return entry.isConnected && bottom > screen.top && top < screen.bottom;
}

function promptOf(entry: Element): string | undefined {
  return entry.closest('.turn')?.querySelector<HTMLElement>(':scope > .entry-prompt')?.dataset['entry'];
}

/** Returns the first visible prompt near the top, or else the previous one. Measures few elements. */
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
  const index = topOf(low) <= edge + readingDistancePx ? low : Math.max(0, low - 1);
  return prompts[index]?.dataset['entry'];
}
