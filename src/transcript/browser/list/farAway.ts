import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { hasFocus, hasSelection } from './inUse';
import { wordsIn } from '../find/textSearch';
import { useTranscript } from '../transcriptContext';

/** What stands in place of an entry that is far from the screen: its words, for search and screen readers. */
interface FarAway {
  readonly words: string;
  /** In pixels; undefined when it was never drawn. */
  readonly height?: number | undefined;
}

interface Left extends FarAway {
  /** As it was drawn when the reader left it. */
  readonly of: Entry | undefined;
}

/**
 * Whether the entry is far from the screen, and then what to show for it. What still goes on, what the reader has clicked
 * or has in hand, and steps within a call stay as they are.
 */
export function useFarAway(entry: Entry | undefined, element: RefObject<HTMLElement | null>): FarAway | undefined {
  const { nearScreen } = useTranscript();
  const [left, setLeft] = useState<Left | undefined>(() =>
    entry && nearScreen && isMostlyText(entry) && !nearScreen.isOnLastScreen(entry.id)
      ? { of: undefined, words: '' }
      : undefined,
  );
  const current = useRef(entry);
  current.current = entry;
  const isDrawn = entry !== undefined;
  useLayoutEffect(() => {
    const shown = element.current;
    if (!nearScreen || !shown || current.current?.parent !== undefined) return;
    let isClicked = false;
    const onClick = (): void => {
      isClicked = true;
    };
    shown.addEventListener('click', onClick, { capture: true });
    const watching = nearScreen.watch(shown, (isNear, height) => {
      const { current: known } = current;
      if (isNear) setLeft(undefined);
      else if (
        known &&
        !isClicked &&
        !wasOpened(shown) &&
        !isGoingOn(known) &&
        !hasFocus(shown) &&
        !hasSelection(shown)
      )
        setLeft((before) => before ?? { of: known, words: wordsIn(shown), height });
    });
    return () => {
      shown.removeEventListener('click', onClick, { capture: true });
      watching.dispose();
    };
  }, [nearScreen, isDrawn]);

  const far = entry && left && entry.parent === undefined && !isGoingOn(entry) ? left : undefined;
  useLayoutEffect(() => {
    if (far?.height !== undefined && element.current) forgetLayout(element.current);
  }, [far?.height]);
  if (!far || !entry) return undefined;
  return far.of === entry ? far : { words: wordsOf(entry) };
}

/** Others are small before they are opened. */
function isMostlyText({ kind }: Entry): boolean {
  return kind === 'answer' || kind === 'prompt';
}

/** By whatever: a search opens what it has found something in. */
function wasOpened(element: HTMLElement): boolean {
  return element.querySelector('details[data-chosen]') !== null;
}

function isGoingOn(entry: Entry): boolean {
  if (entry.kind === 'tool') return ['pending', 'waiting', 'running'].includes(entry.state);
  return (entry.kind === 'answer' || entry.kind === 'thinking') && entry.streaming === true;
}

function wordsOf(entry: Entry): string {
  if (entry.kind === 'tool') return entry.title;
  return 'text' in entry ? (entry.text ?? '') : '';
}

/** What is far is not laid out again: the browser would keep its old layout, and with it all nodes that are gone. */
function forgetLayout(element: HTMLElement): void {
  element.style.display = 'none';
  // Asking makes the browser take notice.
  getComputedStyle(element).getPropertyValue('display');
  element.style.display = '';
}
