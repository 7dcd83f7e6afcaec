import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';

/** Far enough for the list to stay where it is. */
const awayPx = 48;

/** Whether the end is followed, which the list decides by where the reader is; and a way to begin and to end that. */
export function useFollowing(
  root: RefObject<HTMLElement | null>,
  handle: RefObject<TranscriptHandle | null>,
  isThere: boolean,
): { readonly isFollowing: boolean; readonly setFollowing: (isFollowing: boolean) => void } {
  const [isFollowing, setState] = useState(true);
  useEffect(() => {
    const list = root.current?.querySelector('.transcript');
    if (!list) return;
    // It offers to jump to the end whenever it does not follow it.
    const look = (): void => setState(list.querySelector(':scope > .jump') === null);
    look();
    const observer = new MutationObserver(look);
    observer.observe(list, { childList: true });
    return () => observer.disconnect();
  }, [root, isThere]);
  const setFollowing = (isWanted: boolean): void => {
    if (isWanted) handle.current?.scrollToLatest();
    else root.current?.querySelector('.transcript-scroll')?.scrollBy({ top: -awayPx, behavior: 'instant' });
  };
  return { isFollowing, setFollowing };
}
