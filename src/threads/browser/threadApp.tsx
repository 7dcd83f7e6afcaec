import { useMemo, useRef } from 'preact/hooks';
import { FindBar } from '../../transcript/browser/find/findBar';
import { TranscriptList, type TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { useFindKey } from '../../transcript/browser/find/useFindKey';
import { useIsTranscriptEmpty } from '../../transcript/browser/list/useIsTranscriptEmpty';
import type { TranscriptOptions } from '../../transcript/browser/transcriptActions';
import { ThreadFacts } from './threadFacts';
import { ThreadHeader } from './threadHeader';
import { ThreadNotices } from './threadNotices';
import { PromptOutline } from './outline';
import { PageProvider, useThreadPage, useThreadPageState } from './threadPageContext';
import type { ThreadPage } from './threadPage';
import { useCurrentPrompt } from './useCurrentPrompt';
import { useFollowing } from './useFollowing';
import { useJumpTargets } from './useJumpTargets';
import { useUnreadMark } from './useUnreadMark';

export function ThreadApp({ page }: { page: ThreadPage }) {
  return (
    <PageProvider value={page}>
      <Layout />
    </PageProvider>
  );
}

function Layout() {
  const page = useThreadPage();
  const { isReady, thread, times, folding, isFinding, isOutlineShown } = useThreadPageState();
  const root = useRef<HTMLDivElement>(null);
  const handle = useRef<TranscriptHandle>(null);
  const folders = thread?.folders;
  const options = useMemo(
    (): TranscriptOptions => ({
      label: 'Thread',
      timeFormat: times,
      isLive: true,
      ...(folders === undefined ? {} : { folders }),
      ...(folding === undefined ? {} : { folding }),
    }),
    [times, folders, folding],
  );
  const isEmpty = useIsTranscriptEmpty(page.transcript);
  const { isFollowing, setFollowing } = useFollowing(root, handle, !isEmpty);
  const currentPrompt = useCurrentPrompt(root, !isEmpty);
  useUnreadMark(root, isFollowing);
  useJumpTargets(root, handle);
  useFindKey(() => page.update({ isFinding: true }));

  if (!isReady) return <div class="thread page" aria-busy="true" />;
  return (
    <div class="thread page">
      <ThreadHeader handle={handle} isFollowing={isFollowing} setFollowing={setFollowing} />
      <ThreadNotices />
      <ThreadFacts />
      <div class="thread-main">
        <main class="thread-transcript" ref={root}>
          {isFinding && (
            <FindBar
              model={page.transcript}
              actions={page.actions}
              find={page.find}
              onClose={() => page.update({ isFinding: false })}
            />
          )}
          {isEmpty ? (
            thread && <p class="thread-empty">This thread is empty.</p>
          ) : (
            <TranscriptList
              model={page.transcript}
              actions={page.actions}
              options={options}
              handle={handle}
              onGoTo={currentPrompt.onGoTo}
            />
          )}
        </main>
        {isOutlineShown && <PromptOutline current={currentPrompt.id} />}
      </div>
    </div>
  );
}
