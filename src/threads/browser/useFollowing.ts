import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';

/** Distance in pixels that the user must scroll up to stop following. */
const unfollowPx = 48;

/** Returns whether the list follows new entries, and a function to change it. Scrolling changes it, too. */
export function useFollowing(
  root: RefObject<HTMLElement | null>,
  handle: RefObject<TranscriptHandle | null>,
  isRendered: boolean,
): { readonly isFollowing: boolean; readonly setFollowing: (isFollowing: boolean) => void } {
  const [isFollowing, setState] = useState(true);
  useEffect(() => {
    const list = root.current?.querySelector('.transcript');
    if (!list) return;
    // The list shows its jump button only while it is not following.
    const update = (): void => setState(list.querySelector(':scope > .jump') === null);
    update();
    const observer = new MutationObserver(update);
    observer.observe(list, { childList: true });
    return () => observer.disconnect();
  }, [root, isRendered]);
  const setFollowing = (isWanted: boolean): void => {
    if (isWanted) handle.current?.scrollToLatest();
    else root.current?.querySelector('.transcript-scroll')?.scrollBy({ top: -unfollowPx, behavior: 'instant' });
  };
  return { isFollowing, setFollowing };
}
