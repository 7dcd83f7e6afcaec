import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import type { Handlers } from '../../webview/common/requestHandlers';
import type { FollowedThread } from '../common/page/followedThread';
import { threadRequests } from '../common/page/threadApi';
import { threadIn, threadLink } from '../common/model/threadLinks';
import type { ThreadFeed } from '../common/page/threadFeed';
import { foundIn } from '../common/page/threadFind';
import type { OpenThread } from '../common/threadPorts';
import type { ThreadActions } from './threadActions';
import type { ThreadDocuments } from './threadDocuments';
import { openAsJson, openPlace } from './threadPlaces';

/** What the page of a thread may have done outside it. */
export interface HandlerWindow {
  readonly actions: ThreadActions;
  readonly documents: ThreadDocuments;
  readonly editor: Pick<EditorPort, 'open'>;
  /** False when there is no such thread here. */
  readonly openThread: (threadId: string) => Promise<boolean>;
}

interface HandlerOptions {
  readonly followed: FollowedThread;
  readonly feed: ThreadFeed;
  readonly window: HandlerWindow;
  /** The page is there. */
  readonly ready: () => void;
  /** Absolute, of the thread. */
  readonly file: () => string | undefined;
}

/** What each request of the page does. Whatever is thrown is shown by the page. */
export function threadHandlers({
  followed,
  feed,
  window,
  ready,
  file,
}: HandlerOptions): Handlers<typeof threadRequests> {
  const { actions, documents, editor } = window;

  const thread = (): OpenThread => {
    if (!followed.thread) throw new Error('The thread is still being read.');
    return followed.thread;
  };

  return {
    ready: threadRequests.ready.handledBy(ready),
    loadOlder: threadRequests.loadOlder.handledBy(({ count }) => feed.loadOlder(count)),
    loadLater: threadRequests.loadLater.handledBy(({ count }) => feed.loadLater(count)),
    loadAround: threadRequests.loadAround.handledBy(({ entryId }) => ({ isThere: feed.loadAround(entryId) })),
    loadLatest: threadRequests.loadLatest.handledBy(() => feed.loadLatest()),
    find: threadRequests.find.handledBy(({ query }) => ({ found: foundIn(followed.transcript.entries(), query) })),
    retry: threadRequests.retry.handledBy(() => followed.refresh()),
    openFile: threadRequests.openFile.handledBy(async () => {
      const path = file();
      if (path === undefined) throw new Error('This thread is not in a file of this machine.');
      await openAsJson(path);
    }),
    showAll: threadRequests.showAll.handledBy(({ entryId }) => {
      const entry = followed.entry(entryId);
      if (!entry) throw new Error('This part of the thread is no longer there.');
      return { entry };
    }),
    showSubthread: threadRequests.showSubthread.handledBy(({ entryId, isShown }) => {
      if (!isShown) followed.hideSubthread(entryId);
      const problem = isShown ? followed.showSubthread(entryId) : undefined;
      return problem === undefined ? {} : { problem };
    }),
    showRaw: threadRequests.showRaw.handledBy(async ({ entryId }) => {
      const origin = followed.originOf(entryId);
      await documents.showRaw(origin.threadId, origin.entryId);
    }),
    openDiff: threadRequests.openDiff.handledBy(async ({ entryId, part }) => {
      const origin = followed.originOf(entryId);
      await documents.showDiff(origin.threadId, origin.entryId, part);
    }),
    open: threadRequests.open.handledBy(async ({ target, line }) => {
      const named = threadIn(target);
      if (named !== undefined && (await window.openThread(named))) return;
      const place = named === target ? threadLink(named) : target;
      await openPlace(editor, place, line, thread().head.folders);
    }),
    copy: threadRequests.copy.handledBy(({ text }) => vscode.env.clipboard.writeText(text)),
    act: threadRequests.act.handledBy(({ action }) => actions.run(action, thread().head)),
  };
}
