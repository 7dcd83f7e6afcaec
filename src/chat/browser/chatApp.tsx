import { ApprovalArea } from './approval/approvalArea';
import { ChangesBar } from './notices/changesBar';
import type { ChatPage } from './chatPage';
import { Composer } from './composer/composer';
import { ChatHeader } from './chatHeader';
import { PageProvider, usePageState } from './chatPageContext';
import { ProblemList } from './notices/problemList';
import { QueueList } from './composer/queueList';
import { SessionList } from './sessions/sessionList';
import { StatusBanner } from './notices/statusBanner';
import { TranscriptPane } from './transcriptPane';

/** The whole page. The area below the transcript is always visible. */
export function ChatApp({ page }: { page: ChatPage }) {
  return (
    <PageProvider value={page}>
      <Layout />
    </PageProvider>
  );
}

function Layout() {
  const { isSessionListShown, isReady } = usePageState();
  return (
    <div class="chat page">
      <ChatHeader />
      <main class="chat-main">
        <div class="chat-transcript" inert={isSessionListShown}>
          <TranscriptPane />
        </div>
        {isSessionListShown && <SessionList />}
      </main>
      <footer class="chat-bottom">
        {isReady && (
          <div class="chat-notices">
            <StatusBanner />
            <ProblemList />
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
