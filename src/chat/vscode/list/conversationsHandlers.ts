import type { DisposableStore } from '../../../base/common/disposable';
import type { RequestHandlers } from '../../../webview/common/requestHandlers';
import type { Chats } from '../../common/chatPorts';
import type { ConversationList } from '../../common/list/conversationList';
import { conversationsRequests } from '../../common/page/conversationsApi';
import { SessionListing } from '../../common/page/sessionListing';
import type { RowActions } from './rowActions';

interface PageControl {
  readonly onAlive: () => void;
  readonly onReady: () => void;
  readonly onShown: () => void;
}

/** Creates the handlers of all requests of a page. The page shows the errors that they throw. */
export function createConversationsHandlers(
  page: PageControl,
  { actions, chats, list }: { readonly actions: RowActions; readonly chats: Chats; readonly list: ConversationList },
  store: DisposableStore,
): RequestHandlers<typeof conversationsRequests> {
  const listing = store.add(new SessionListing(chats));
  let search = new AbortController();
  store.add({ dispose: () => search.abort() });
  const requests = conversationsRequests;
  return {
    ready: requests.ready.withHandler(() => page.onReady()),
    shown: requests.shown.withHandler(() => page.onShown()),
    alive: requests.alive.withHandler(() => page.onAlive()),
    open: requests.open.withHandler(({ sessionId, entryId }) => actions.open(sessionId, entryId)),
    openInTab: requests.openInTab.withHandler(({ sessionId, entryId }) => actions.openInTab(sessionId, entryId)),
    openInNewWindow: requests.openInNewWindow.withHandler(({ sessionId }) => actions.openInNewWindow(sessionId)),
    goToWindow: requests.goToWindow.withHandler(({ sessionId }) => actions.goToWindow(sessionId)),
    create: requests.create.withHandler(() => actions.create()),
    stop: requests.stop.withHandler(({ sessionIds }) => actions.stop(sessionIds)),
    answer: requests.answer.withHandler(({ sessionId, ...answer }) => actions.answer(sessionId, answer)),
    rename: requests.rename.withHandler(({ sessionId, title }) => actions.rename(sessionId, title)),
    setPinned: requests.setPinned.withHandler(({ isPinned, sessionIds }) => actions.setPinned(sessionIds, isPinned)),
    setArchived: requests.setArchived.withHandler(({ isArchived, sessionIds }) =>
      actions.setArchived(sessionIds, isArchived),
    ),
    delete: requests.delete.withHandler(({ sessionIds }) => actions.delete(sessionIds)),
    fork: requests.fork.withHandler(({ sessionId }) => actions.fork(sessionId)),
    continueWith: requests.continueWith.withHandler(({ sessionId }) => actions.continueWith(sessionId)),
    review: requests.review.withHandler(({ sessionId }) => actions.review(sessionId)),
    export: requests.export.withHandler(({ format, sessionId }) => actions.export(sessionId, format)),
    locateFolder: requests.locateFolder.withHandler(({ sessionId }) => actions.locateFolder(sessionId)),
    search: requests.search.withHandler(async ({ query }) => {
      search.abort();
      search = new AbortController();
      const { found, left } = await list.search(query, search.signal);
      return { found: [...found], ...(left && { left }) };
    }),
    listRemoteSessions: requests.listRemoteSessions.withHandler(({ backendId }) => listing.list(backendId)),
    cancelListing: requests.cancelListing.withHandler(() => listing.cancel()),
  };
}
