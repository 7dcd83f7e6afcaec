import { ApprovalArea } from './approval/approvalArea';
import { CommentsBar } from './notices/commentsBar';
import { ChangesBar } from './notices/changesBar';
import type { ChatPage } from './page/chatPage';
import { Composer } from './composer/composer';
import { PageProvider, usePageState } from './chatPageContext';
import { AsideStrip } from './notices/asideStrip';
import { NoticeList } from './notices/noticeList';
import { PlanLine } from './notices/planLine';
import { ProblemList } from './notices/problemList';
import { QueueList } from './composer/queueList';
import { SessionList } from './sessions/sessionList';
import { StatusBanner } from './notices/statusBanner';
import { WorkingLine } from './notices/workingLine';
import { TranscriptPane } from './transcriptPane';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../transcript/browser/parts/untrustedText';

interface ChatAppProps {
  readonly page: ChatPage;
  /** Whether the page shows the title. False in an editor tab, where the label of the tab shows it. */
  readonly hasTitle: boolean;
}

/** The whole page. The area below the transcript stays visible while the transcript scrolls. */
export function ChatApp({ page, hasTitle }: ChatAppProps) {
  return (
    <PageProvider value={page}>
      <Layout hasTitle={hasTitle} />
    </PageProvider>
  );
}

function Layout({ hasTitle }: Pick<ChatAppProps, 'hasTitle'>) {
  const { isSessionListShown, isReady, session } = usePageState();
  return (
    <div class="chat page">
      {session && (
        <h1
          class={hasTitle ? 'chat-title one-line' : 'visually-hidden'}
          title={showHiddenCharacters(session.title)}
          dir="auto"
        >
          <UntrustedText text={session.title} />
        </h1>
      )}
      <AsideStrip />
      <main class="chat-main">
        <div class="chat-transcript" inert={isSessionListShown}>
          <TranscriptPane />
        </div>
        {isSessionListShown && <SessionList />}
      </main>
      <footer class="chat-bottom">
        {isReady && <PlanLine />}
        {isReady && <WorkingLine />}
        {isReady && (
          <div class="chat-notices">
            <StatusBanner />
            <ProblemList />
            <NoticeList />
            <CommentsBar />
            <ChangesBar />
            <QueueList />
          </div>
        )}
        <ApprovalArea />
        <Composer />
      </footer>
    </div>
  );
}
