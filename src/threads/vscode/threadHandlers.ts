import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { findEntries } from '../../transcript/common/findEntries';
import type { RequestHandlers } from '../../webview/common/requestHandlers';
import type { FollowedThread } from '../common/page/followedThread';
import { threadRequests } from '../common/page/threadApi';
import { parseThreadId, threadLink } from '../common/model/threadLinks';
import type { ThreadFeed } from '../common/page/threadFeed';
import type { ThreadWithEntries } from '../common/threadPorts';
import type { ThreadActions } from './threadActions';
import type { ThreadDocuments } from './threadDocuments';
import { openThreadFileAsJson, openLinkOrFile } from './openTarget';

/** Operations outside the page that the requests of the page need. */
export interface ThreadPageServices {
  readonly actions: ThreadActions;
  readonly documents: ThreadDocuments;
  readonly editor: Pick<EditorPort, 'open'>;
  /** Opens a thread. Resolves to false if there is no such thread. */
  readonly openThread: (threadId: string) => Promise<boolean>;
  /** Opens the HTML of an answer in the browser. @throws Error */
  readonly openView: (html: string) => Promise<void>;
}

interface ThreadHandlersDeps {
  readonly followed: FollowedThread;
  readonly feed: ThreadFeed;
  readonly services: ThreadPageServices;
  /** Called when the page is ready. */
  readonly ready: () => void;
  /** Called for each heartbeat of the page. */
  readonly alive: () => void;
  /** Returns the absolute path of the thread's file. */
  readonly file: () => string | undefined;
}

/** Creates the handlers for the requests of the page. The page shows the errors that they throw. */
export function threadHandlers(deps: ThreadHandlersDeps): RequestHandlers<typeof threadRequests> {
  const { followed, feed, services, ready, alive, file } = deps;
  const { actions, documents, editor } = services;
  let textSearch = new AbortController();

  const loadedThread = (): ThreadWithEntries => {
    if (!followed.thread) throw new Error('The thread is still being read.');
    return followed.thread;
  };

  return {
    ready: threadRequests.ready.withHandler(ready),
    alive: threadRequests.alive.withHandler(alive),
    load: threadRequests.load.withHandler((request) => feed.load(request)),
    find: threadRequests.find.withHandler(async ({ query }) => {
      textSearch.abort();
      textSearch = new AbortController();
      const options = { pause: () => setImmediate(), signal: textSearch.signal };
      return { found: await findEntries(followed.transcript, query, options) };
    }),
    retry: threadRequests.retry.withHandler(() => followed.refresh()),
    openFile: threadRequests.openFile.withHandler(async () => {
      const path = file();
      if (path === undefined) throw new Error('This thread has no file on this machine.');
      await openThreadFileAsJson(path);
    }),
    showAll: threadRequests.showAll.withHandler(({ entryId }) => {
      const entry = followed.entry(entryId);
      if (!entry) throw new Error('This entry is no longer in the thread.');
      return { entry };
    }),
    showSubthread: threadRequests.showSubthread.withHandler(({ entryId, isShown }) => {
      if (!isShown) followed.hideSubthread(entryId);
      const problem = isShown ? followed.showSubthread(entryId) : undefined;
      return problem === undefined ? {} : { problem };
    }),
    showRaw: threadRequests.showRaw.withHandler(async ({ entryId }) => {
      const origin = followed.originOf(entryId);
      await documents.showRaw(origin.threadId, origin.entryId);
    }),
    openDiff: threadRequests.openDiff.withHandler(async ({ entryId, part }) => {
      const origin = followed.originOf(entryId);
      await documents.showDiff(origin.threadId, origin.entryId, part);
    }),
    open: threadRequests.open.withHandler(async ({ target, ...place }) => {
      const threadId = parseThreadId(target);
      if (threadId !== undefined && (await services.openThread(threadId))) return;
      const link = threadId === target ? threadLink(threadId) : target;
      await openLinkOrFile(editor, link, place, loadedThread().head.folders);
    }),
    openView: threadRequests.openView.withHandler(({ html }) => services.openView(html)),
    copy: threadRequests.copy.withHandler(({ text }) => vscode.env.clipboard.writeText(text)),
    act: threadRequests.act.withHandler(({ action }) => actions.runAction(action, loadedThread().head)),
  };
}
