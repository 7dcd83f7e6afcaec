import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TranscriptModel } from '../../transcript/browser/list/transcriptModel';
import { useThreadPage } from './threadPageContext';

/**
 * Draws a line above the first entry that was added while the user was not at the end or not on the page. The line
 * stays until the user has read the new entries and another entry is added.
 */
export function useUnreadMark(root: RefObject<HTMLElement | null>, isFollowing: boolean): void {
  const page = useThreadPage();
  const following = useRef(isFollowing);
  const hasCaughtUp = useRef(true);
  following.current = isFollowing;
  if (isFollowing) hasCaughtUp.current = true;

  // A layout effect, because the host sends the mark with its first update.
  useLayoutEffect(() => {
    const { transcript } = page;
    let markedId: string | undefined;
    /** Index of the first new entry in the whole thread, as long as this entry is not loaded. */
    let markedIndex: number | undefined;
    const draw = (): void => {
      for (const old of root.current?.querySelectorAll('[data-new]') ?? []) old.removeAttribute('data-new');
      if (markedId === undefined) return;
      root.current?.querySelector(`[data-entry="${CSS.escape(markedId)}"]`)?.setAttribute('data-new', '');
    };
    const mark = (entryId: string | undefined): void => {
      markedId = entryId;
      markedIndex = undefined;
      hasCaughtUp.current = false;
      // The line is drawn after the entry was rendered.
      requestAnimationFrame(draw);
    };
    const subscriptions = [
      page.onDidMarkUnread(mark),
      transcript.onDidChange(
        ({ isReset, addedEntries: added, unloadedAddedCount: addedBeyond, olderCount, laterCount }) => {
          const first = added.find(({ parent }) => parent === undefined);
          const isAway = !following.current || document.hidden;
          if (hasCaughtUp.current && isAway && first) {
            mark(first.id);
          } else if (hasCaughtUp.current && isAway && addedBeyond > 0) {
            mark(undefined);
            const { topLevelCount, unloadedLaterCount, unloadedOlderCount } = transcript;
            markedIndex = unloadedOlderCount + topLevelCount + unloadedLaterCount - addedBeyond;
          } else if (isReset || olderCount > 0 || laterCount > 0) {
            const loadedId = markedIndex === undefined ? undefined : topLevelFrom(transcript, markedIndex);
            if (loadedId === undefined) requestAnimationFrame(draw);
            else mark(loadedId);
          }
        },
      ),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.dispose();
    };
  }, [page, root]);
}

/** Returns the top-level entry at an index in the whole thread. Undefined if it is not loaded. */
function topLevelFrom(transcript: TranscriptModel, index: number): string | undefined {
  if (index < transcript.unloadedOlderCount) return undefined;
  return transcript.turns.flatMap(({ entryIds }) => entryIds)[index - transcript.unloadedOlderCount];
}
