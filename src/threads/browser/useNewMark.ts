import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from './pageContext';

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
    let marked: string | undefined;
    const draw = (): void => {
      for (const old of root.current?.querySelectorAll('[data-new]') ?? []) old.removeAttribute('data-new');
      if (marked === undefined) return;
      root.current?.querySelector(`[data-entry="${CSS.escape(marked)}"]`)?.setAttribute('data-new', '');
    };
    const mark = (entryId: string): void => {
      marked = entryId;
      hasCaughtUp.current = false;
      // When it is drawn.
      requestAnimationFrame(draw);
    };
    const subscriptions = [
      page.onDidMark(mark),
      page.transcript.onDidChange(({ isReset, added }) => {
        if (isReset) marked = undefined;
        const first = added.find(({ parent }) => parent === undefined);
        if (!first || !hasCaughtUp.current || (following.current && !document.hidden)) return;
        mark(first.id);
      }),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.dispose();
    };
  }, [page, root]);
}
