import { useMemo, useRef, useState } from 'preact/hooks';
import { FindBar } from '../../transcript/browser/find/findBar';
import type { FindEntries } from '../../transcript/browser/find/useFoundEntries';
import type { TranscriptOptions } from '../../transcript/browser/transcriptActions';
import { TranscriptList, type TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { useFindKey } from '../../transcript/browser/find/useFindKey';
import { useIsTranscriptEmpty } from '../../transcript/browser/list/useIsTranscriptEmpty';
import type { ChatPage } from './page/chatPage';
import { EmptyState } from './emptyState';
import { usePage, usePageState } from './chatPageContext';
import { createTranscriptActions } from './chatTranscriptActions';
import { usePageCommand } from './usePageCommand';
import { useRequestedEntry } from './useRequestedEntry';

export function TranscriptPane() {
  const page = usePage();
  const { isStartingConversation, isReady, folders, session } = usePageState();
  const isReadonly = session?.status === 'readonly';
  const isEmpty = useIsTranscriptEmpty(page.transcript);
  const isAside = session?.aside !== undefined;
  const actions = useMemo(() => createTranscriptActions(page, isReadonly, isAside), [page, isReadonly, isAside]);
  // A change of the same files draws no entry again.
  const waiting = session?.changes.map(({ path }) => path).join('\n') ?? '';
  const options = useMemo(
    (): TranscriptOptions => ({
      conversationId: session?.id,
      label: 'Conversation',
      isLive: true,
      folders,
      waitingPaths: new Set(waiting.split('\n')),
    }),
    [session?.id, folders, waiting],
  );
  const { isFinding, stopFinding } = useFindBar(page);
  // Another function for each conversation, so that the find bar searches again.
  const find = useMemo((): FindEntries => (query) => page.find(query), [page, session?.id]);
  const list = useRef<TranscriptHandle>(null);
  usePageCommand('showLatest', () => list.current?.scrollToLatest());
  useRequestedEntry(list);

  if (!isReady || (isEmpty && isStartingConversation)) return <div class="transcript-pane" aria-busy="true" />;
  if (isEmpty) {
    return (
      <div class="transcript-pane">
        <EmptyState />
      </div>
    );
  }
  return (
    <div class="transcript-pane">
      {isFinding && <FindBar model={page.transcript} actions={actions} find={find} onClose={stopFinding} />}
      <TranscriptList model={page.transcript} actions={actions} options={options} handle={list} />
    </div>
  );
}

/** State of the find bar. VS Code offers no find bar for webviews in views, so the page has its own. */
function useFindBar(page: ChatPage): { readonly isFinding: boolean; stopFinding: () => void } {
  const [isFinding, setFinding] = useState(false);
  usePageCommand('find', () => setFinding(true));
  useFindKey(() => setFinding(true));
  const stopFinding = (): void => {
    setFinding(false);
    page.runCommand('focusComposer');
  };
  return { isFinding, stopFinding };
}
