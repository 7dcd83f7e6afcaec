import * as path from 'node:path';
import type * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { PageHost } from '../../webview/vscode/pageHost';
import { loadPage, type PageFiles } from '../../webview/vscode/loadPage';
import { FollowedThread, refreshWhenStale, type FollowedThreadSource } from '../common/page/followedThread';
import { didRequestFindOrJump, didUpdate, type ThreadUpdate, type threadRequests } from '../common/page/threadApi';
import { ThreadFeed } from '../common/page/threadFeed';
import type { ThreadHead } from '../common/threadPorts';
import { displayTitle } from '../common/tree/threadRow';
import type { ReadMarks } from '../common/tree/readMarks';
import { threadHandlers, type ThreadPageServices } from './threadHandlers';

/** Shared by all panels of a window. */
export interface ThreadPanelDeps extends ThreadPageServices {
  readonly threads: FollowedThreadSource & { find(threadId: string): ThreadHead | undefined };
  /** Adds a file that the user had opened before the window was reloaded. */
  readonly addFile: (file: string) => Promise<ThreadHead>;
  readonly marks: ReadMarks;
  /** Called when an unread thread has become read. */
  readonly onDidMarkRead: () => void;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A thread in an editor tab. Does not own the tab. Dispose the panel when the tab is closed. */
export class ThreadPanel implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly followedThread: FollowedThread;
  private readonly feed: ThreadFeed;
  private readonly pageHost: PageHost<typeof threadRequests>;
  private pendingCommand: { readonly entryId?: string; readonly find?: true } | undefined;
  private hasPostedThread = false;

  constructor(
    readonly threadId: string,
    private readonly panel: vscode.WebviewPanel,
    private readonly deps: ThreadPanelDeps,
    /** The key that the page stores to restore the tab; see `tabKeyOf`. */
    private readonly tabKey: string,
  ) {
    const { threads, actions, clock, log } = deps;
    const onListenerError = (error: unknown): void => log.error('A listener of a thread failed', error);
    this.followedThread = this.disposables.add(new FollowedThread(threadId, threads, clock, onListenerError));
    this.feed = this.disposables.add(
      new ThreadFeed({
        followed: this.followedThread,
        actionsFor: ({ head }) => actions.availableFor(head),
        hasFile: () => this.filePath !== undefined,
        post: (update) => this.postUpdateAndMarkRead(update),
        clock,
      }),
    );
    const handlers = threadHandlers({
      followed: this.followedThread,
      feed: this.feed,
      services: deps,
      ready: () => this.handlePageReady(),
      alive: () => this.reconnectPageShownAgain(),
      file: () => this.filePath,
    });
    this.pageHost = this.disposables.add(new PageHost(panel.webview, handlers, log, clock));
  }

  start(): void {
    const { panel, deps } = this;
    this.pageHost.start();
    this.feed.start();
    // VS Code discards a hidden page. When the tab is shown again, a new page reports that it is ready.
    const onViewState = (): void => {
      if (!panel.visible) this.handlePageHidden();
    };
    this.disposables.add(panel.onDidChangeViewState(onViewState));
    this.disposables.add(this.followedThread.onDidChange(() => this.updateTitle()));
    this.disposables.add(refreshWhenStale(this.followedThread, deps.clock));
    loadPage(panel.webview, deps.files, { title: 'Amp Thread', data: { thread: this.tabKey } });
    void this.followedThread.start();
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  reveal(): void {
    this.panel.reveal();
  }

  /** Jumps to an entry as soon as the page has the thread. */
  goToEntry(entryId: string): void {
    this.pendingCommand = { entryId };
    this.sendPendingCommand();
  }

  showFind(): void {
    this.pendingCommand = { find: true };
    this.sendPendingCommand();
  }

  refresh(): void {
    void this.followedThread.refresh();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Absolute path of the thread's file, even if the file cannot be read. The tab of an opened file is identified by it. */
  private get filePath(): string | undefined {
    const { followedThread, tabKey, threadId, deps } = this;
    const known = followedThread.thread?.head.path ?? deps.threads.find(threadId)?.path;
    return known ?? (path.isAbsolute(tabKey) ? tabKey : undefined);
  }

  private handlePageReady(): void {
    this.hasPostedThread = false;
    this.followedThread.hideSubthreads();
    this.feed.connectPage(this.deps.marks.lastSeenEntryId(this.threadId));
  }

  /** VS Code may show a page again without reloading it. Then it has not got the last updates. */
  private reconnectPageShownAgain(): void {
    if (this.panel.visible && !this.feed.hasPage) this.feed.connectPage(this.deps.marks.lastSeenEntryId(this.threadId));
  }

  private handlePageHidden(): void {
    this.hasPostedThread = false;
    this.feed.disconnectPage();
  }

  private postUpdateAndMarkRead(update: ThreadUpdate): void {
    this.pageHost.notify(didUpdate, update);
    this.hasPostedThread = this.followedThread.thread !== undefined;
    this.markRead();
    this.sendPendingCommand();
  }

  private sendPendingCommand(): void {
    const { pendingCommand, followedThread } = this;
    if (!pendingCommand || !this.hasPostedThread || !this.feed.hasPage) return;
    this.pendingCommand = undefined;
    if (pendingCommand.find) {
      this.pageHost.notify(didRequestFindOrJump, { kind: 'find' });
      return;
    }
    const { entryId } = pendingCommand;
    if (entryId !== undefined && followedThread.entry(entryId))
      this.pageHost.notify(didRequestFindOrJump, { kind: 'goTo', entryId });
  }

  private updateTitle(): void {
    const { thread } = this.followedThread;
    if (!thread) return;
    const title = displayTitle(thread.head);
    if (this.panel.title !== title) this.panel.title = title;
  }

  private markRead(): void {
    const { thread } = this.followedThread;
    if (!thread || !this.panel.visible) return;
    const last = thread.entries.findLast(({ parent }) => parent === undefined)?.id;
    if (this.deps.marks.markRead(thread.head, last)) this.deps.onDidMarkRead();
  }
}
