import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { chatRequests } from '../common/page/chatApi';
import type { ChatPage } from './page/chatPage';
import { usePage } from './chatPageContext';

/** Maximum number of frames to wait until an entry is drawn. */
const maxFrames = 60;

/** Scrolls to the entries that the host requests, and loads them if necessary. */
export function useRequestedEntry(list: RefObject<TranscriptHandle | null>): void {
  const page = usePage();
  useLayoutEffect(() => {
    let latest: object | undefined;
    const show = async (entryId: string): Promise<void> => {
      const request = (latest = {});
      if (!page.transcript.get(entryId)) {
        const around = { kind: 'around', entryId } as const;
        await page.requestForSession(chatRequests.load, (sessionId) => ({ sessionId, request: around }));
      }
      for (let left = maxFrames; left > 0 && latest === request; left--) {
        await new Promise(requestAnimationFrame);
        if (withCallsAround(page, entryId).some((id) => list.current?.scrollToEntry(id))) return;
      }
    };
    const subscription = page.onDidRequestEntry((entryId) => void show(entryId));
    return () => {
      latest = undefined;
      subscription.dispose();
    };
  }, [page, list]);
}

/** Returns the entry and the calls that contain it, which can be collapsed. */
function withCallsAround({ transcript }: ChatPage, entryId: string): readonly string[] {
  const ids = new Set<string>();
  for (let id: string | undefined = entryId; id !== undefined && !ids.has(id); id = transcript.get(id)?.parent)
    ids.add(id);
  return [...ids];
}
