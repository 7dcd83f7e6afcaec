import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TranscriptModel } from '../../transcript/browser/list/transcriptModel';
import { usePage } from './threadPageContext';

/**
 * Draws a line above the first entry that came while the reader was away from the end or from the page. It stays until
 * something else comes after the reader has caught up.
 */
export function useNewMark(root: RefObject<HTMLElement | null>, isFollowing: boolean): void {
  const page = usePage();
  const following = useRef(isFollowing);
  const hasCaughtUp = useRef(true);
  following.current = isFollowing;
  if (isFollowing) hasCaughtUp.current = true;

  // The host tells it with the first that it tells, which may be before anything is drawn.
  useLayoutEffect(() => {
    const { transcript } = page;
    let marked: string | undefined;
    /** Where what is new begins in the whole thread, until that is here. */
    let markedIndex: number | undefined;
    const draw = (): void => {
      for (const old of root.current?.querySelectorAll('[data-new]') ?? []) old.removeAttribute('data-new');
      if (marked === undefined) return;
      root.current?.querySelector(`[data-entry="${CSS.escape(marked)}"]`)?.setAttribute('data-new', '');
    };
    const mark = (entryId: string | undefined): void => {
      marked = entryId;
      markedIndex = undefined;
      hasCaughtUp.current = false;
      // When it is drawn.
      requestAnimationFrame(draw);
    };
    const subscriptions = [
      page.onDidMark(mark),
      transcript.onDidChange(({ isReset, added, addedBeyond, olderCount, laterCount }) => {
        const first = added.find(({ parent }) => parent === undefined);
        const isAway = !following.current || document.hidden;
        if (hasCaughtUp.current && isAway && first) {
          mark(first.id);
        } else if (hasCaughtUp.current && isAway && addedBeyond > 0) {
          mark(undefined);
          markedIndex = transcript.before + transcript.size + transcript.after - addedBeyond;
        } else if (isReset || olderCount > 0 || laterCount > 0) {
          const came = markedIndex === undefined ? undefined : topLevelFrom(transcript, markedIndex);
          if (came === undefined) requestAnimationFrame(draw);
          else mark(came);
        }
      }),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.dispose();
    };
  }, [page, root]);
}

/** The first entry that is not part of a call, from an index in the whole thread on; undefined when that is not loaded. */
function topLevelFrom(transcript: TranscriptModel, index: number): string | undefined {
  if (index < transcript.before) return undefined;
  return transcript
    .entries()
    .slice(index - transcript.before)
    .find(({ parent }) => parent === undefined)?.id;
}
