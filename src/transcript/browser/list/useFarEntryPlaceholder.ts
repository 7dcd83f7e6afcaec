import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { hasFocus, hasSelection } from './focusAndSelection';
import { searchableText } from '../find/textSearch';
import { useTranscriptContext } from '../transcriptContext';

/** Replaces an entry that is far from the screen. Contains its text, so that find and screen readers still work. */
interface Placeholder {
  readonly text: string;
  /** Height in pixels; undefined if the entry was never drawn. */
  readonly height?: number | undefined;
}

interface StoredPlaceholder extends Placeholder {
  /** The entry as it was last drawn. */
  readonly drawnEntry: Entry | undefined;
}

/**
 * Returns a placeholder for an entry in a closed run, or far from the screen. Far from the screen, steps of calls, and
 * entries that are running, clicked, opened, focused or selected, keep their complete content.
 */
export function useFarEntryPlaceholder(
  entry: Entry | undefined,
  element: RefObject<HTMLElement | null>,
  isFolded: boolean,
): Placeholder | undefined {
  const { screenProximity } = useTranscriptContext();
  const [left, setLeft] = useState<StoredPlaceholder | undefined>(() =>
    entry && screenProximity && isMostlyText(entry) && !screenProximity.isLikelyOnLastScreen(entry.id)
      ? { drawnEntry: undefined, text: '' }
      : undefined,
  );
  const current = useRef(entry);
  current.current = entry;
  const isDrawn = entry !== undefined;
  useLayoutEffect(() => {
    const shown = element.current;
    if (!screenProximity || !shown || current.current?.parent !== undefined) return;
    let isClicked = false;
    const onClick = (): void => {
      isClicked = true;
    };
    shown.addEventListener('click', onClick, { capture: true });
    const watching = screenProximity.watch(shown, (isNear, height) => {
      const { current: known } = current;
      if (isNear) setLeft(undefined);
      else if (
        known &&
        !isClicked &&
        !hasOpenedDetails(shown) &&
        !isRunning(known) &&
        !hasFocus(shown) &&
        !hasSelection(shown)
      )
        setLeft((before) => before ?? { drawnEntry: known, text: searchableText(shown), height });
    });
    return () => {
      shown.removeEventListener('click', onClick, { capture: true });
      watching.dispose();
    };
  }, [screenProximity, isDrawn]);

  const far = entry && left && entry.parent === undefined && !isRunning(entry) ? left : undefined;
  useLayoutEffect(() => {
    if (far?.height !== undefined && element.current) discardLayout(element.current);
  }, [far?.height]);
  if (entry && isFolded) return { text: plainTextOf(entry) };
  if (!far || !entry) return undefined;
  return far.drawnEntry === entry ? far : { text: plainTextOf(entry) };
}

/** Whether an entry is mostly text. Other kinds are small until the reader opens them. */
function isMostlyText({ kind }: Entry): boolean {
  return kind === 'answer' || kind === 'prompt';
}

function hasOpenedDetails(element: HTMLElement): boolean {
  return element.querySelector('details[data-chosen]') !== null;
}

function isRunning(entry: Entry): boolean {
  if (entry.kind === 'tool') return ['pending', 'waiting', 'running'].includes(entry.state);
  return (entry.kind === 'answer' || entry.kind === 'thinking') && entry.streaming === true;
}

function plainTextOf(entry: Entry): string {
  if (entry.kind === 'tool') return entry.title;
  return 'text' in entry ? (entry.text ?? '') : '';
}

/**
 * Discards the old layout of the element. The browser would keep it in memory with all removed nodes, because it does
 * not lay out elements far from the screen.
 */
function discardLayout(element: HTMLElement): void {
  element.style.display = 'none';
  // Reading a computed style applies the change.
  getComputedStyle(element).getPropertyValue('display');
  element.style.display = '';
}
