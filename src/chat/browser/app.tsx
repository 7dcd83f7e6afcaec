import { ApprovalArea } from './approvalArea';
import { ChangesBar } from './changesBar';
import type { ChatPage } from './chatPage';
import { Composer } from './composer';
import { Header } from './header';
import { PageProvider, usePageState } from './pageContext';
import { ProblemList } from './problemList';
import { QueueList } from './queueList';
import { SessionList } from './sessionList';
import { StatusBanner } from './statusBanner';
import { TranscriptPane } from './transcriptPane';

/** The whole page: what is below the transcript never scrolls away, whatever is above it. */
export function App({ page }: { page: ChatPage }) {
  return (
    <PageProvider value={page}>
      <Layout />
    </PageProvider>
  );
}

function Layout() {
  const { isListShown, isReady } = usePageState();
  return (
    <div class="chat">
      <Header />
      <main class="chat-main">
        <div class="chat-transcript" inert={isListShown}>
          <TranscriptPane />
        </div>
        {isListShown && <SessionList />}
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
