import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A prompt that is this far below the top edge is being read. */
const readingPx = 80;

/** The id of the prompt whose turn is at the top of the screen, followed as the reader scrolls. */
export function useCurrentPrompt(root: RefObject<HTMLElement | null>, isThere: boolean): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const scroller = root.current?.querySelector('.transcript-scroll');
    if (!scroller) return;
    let frame: number | undefined;
    const look = (): void => {
      frame = undefined;
      setCurrent(promptAtTop(scroller));
    };
    const later = (): void => {
      frame ??= requestAnimationFrame(look);
    };
    scroller.addEventListener('scroll', later, { passive: true });
    const observer = new ResizeObserver(later);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    later();
    return () => {
      scroller.removeEventListener('scroll', later);
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [root, isThere]);
  return current;
}

/** By halves: there may be hundreds, and each that is measured costs. */
function promptAtTop(scroller: Element): string | undefined {
  const prompts = [...scroller.querySelectorAll<HTMLElement>('.turn > .entry-prompt')];
  const edge = scroller.getBoundingClientRect().top + readingPx;
  let low = 0;
  let high = prompts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const top = prompts[middle]?.getBoundingClientRect().top ?? Infinity;
    if (top <= edge) low = middle + 1;
    else high = middle;
  }
  return prompts[Math.max(0, low - 1)]?.dataset['entry'];
}
