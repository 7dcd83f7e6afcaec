import { useMemo, useRef } from 'preact/hooks';
import { FindBar } from '../../transcript/browser/find/find';
import { TranscriptList, type TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { useFindKey } from '../../transcript/browser/find/useFindKey';
import { useIsEmpty } from '../../transcript/browser/list/useIsEmpty';
import type { TranscriptOptions } from '../../transcript/browser/transcriptActions';
import { Facts } from './facts';
import { Header } from './threadHeader';
import { Notices } from './notices';
import { Outline } from './outline';
import { PageProvider, usePage, usePageState } from './threadPageContext';
import type { ThreadPage } from './threadPage';
import { useCurrentPrompt } from './useCurrentPrompt';
import { useFollowing } from './useFollowing';
import { useGoals } from './useGoals';
import { useNewMark } from './useNewMark';

export function App({ page }: { page: ThreadPage }) {
  return (
    <PageProvider value={page}>
      <Layout />
    </PageProvider>
  );
}

function Layout() {
  const page = usePage();
  const { isReady, thread, times, folding, isFinding, isOutlineShown } = usePageState();
  const root = useRef<HTMLDivElement>(null);
  const handle = useRef<TranscriptHandle>(null);
  const folders = thread?.folders;
  const options = useMemo(
    (): TranscriptOptions => ({
      label: 'Thread',
      times,
      isLive: true,
      ...(folders === undefined ? {} : { folders }),
      ...(folding === undefined ? {} : { folding }),
    }),
    [times, folders, folding],
  );
  const isEmpty = useIsEmpty(page.transcript);
  const { isFollowing, setFollowing } = useFollowing(root, handle, !isEmpty);
  const currentPrompt = useCurrentPrompt(root, !isEmpty);
  useNewMark(root, isFollowing);
  useGoals(root, handle);
  useFindKey(() => page.find());

  if (!isReady) return <div class="thread page" aria-busy="true" />;
  return (
    <div class="thread page">
      <Header handle={handle} isFollowing={isFollowing} setFollowing={setFollowing} />
      <Notices />
      <Facts />
      <div class="thread-main">
        <main class="thread-transcript" ref={root}>
          {isFinding && (
            <FindBar
              model={page.transcript}
              actions={page.actions}
              search={page.search}
              onClose={() => page.stopFinding()}
            />
          )}
          {isEmpty ? (
            thread && <p class="thread-empty">Nothing was said in this thread.</p>
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
        {isOutlineShown && <Outline current={currentPrompt.id} />}
      </div>
    </div>
  );
}
