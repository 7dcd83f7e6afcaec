import type { TranscriptActions } from '../../transcript/browser/transcriptActions';
import { chatRequests } from '../common/page/chatApi';
import type { ChatPage } from './page/chatPage';

/** `isReadonly`: another window is writing to the conversation. `isAside`: it is a side question itself. */
export function createTranscriptActions(page: ChatPage, isReadonly = false, isAside = false): TranscriptActions {
  return {
    open: (target, line, column) => void page.request(chatRequests.open, { target, line, column }),
    copy: (text) => void page.copy(text),
    loadFullEntry: async (entryId) => {
      const answer = await page.requestForSession(chatRequests.showAll, (sessionId) => ({ sessionId, entryId }));
      const entry = answer?.entry ?? page.transcript.get(entryId);
      if (!entry) throw new Error('This entry no longer exists.');
      return entry;
    },
    load: (request) => page.requestForSession(chatRequests.load, (sessionId) => ({ sessionId, request })),
    openDiff: (entryId, part) =>
      void page.requestForSession(chatRequests.openDiff, (sessionId) => ({ sessionId, entryId, part })),
    insertAtCursor: (text) => void page.request(chatRequests.insertAtCursor, { text }),
    applyCode: (text, path) => void page.request(chatRequests.applyCode, { text, path }),
    openAsNewFile: (text, language) => void page.request(chatRequests.openAsNewFile, { text, language }),
    openView: (html) => void page.request(chatRequests.openView, { html }),
    continueTurn: () => void page.continueTurn(),
    editPrompt: (entryId) => void page.editAndResend(entryId),
    ...(!isAside && {
      askAside: (quote) => void page.requestForSession(chatRequests.askAside, (sessionId) => ({ sessionId, quote })),
    }),
    ...(isReadonly
      ? {}
      : {
          stopCall: async (entryId) => {
            await page.requestForSession(chatRequests.stopCall, (sessionId) => ({ sessionId, entryId }));
          },
          restore: (entryId) =>
            void page.requestForSession(chatRequests.restore, (sessionId) => ({ sessionId, entryId })),
          afterFailure: {
            retry: (entryId) => void page.retry(entryId),
            continueWith: (isSameAgent) =>
              void page.requestForSession(chatRequests.continueWith, (sessionId) => ({ sessionId, isSameAgent })),
            signIn: () => {
              const backendId = page.store.state.session?.backendId;
              if (backendId !== undefined) void page.request(chatRequests.repairBackend, { backendId, how: 'signIn' });
            },
            showLog: () => void page.request(chatRequests.showLog, {}),
          },
          undoRestore: (restoreId) =>
            void page.requestForSession(chatRequests.undoRestore, (sessionId) => ({ sessionId, restoreId })),
        }),
    openChange: (path, turn, renamedFrom) =>
      void page.requestForSession(chatRequests.openChange, (sessionId) => ({ sessionId, path, turn, renamedFrom })),
    reviewChanges: (turn) =>
      void page.requestForSession(chatRequests.reviewChanges, (sessionId) => ({ sessionId, turn })),
    revert: (path, turn, renamedFrom) =>
      void page.requestForSession(chatRequests.revert, (sessionId) => ({ sessionId, path, turn, renamedFrom })),
  };
}
