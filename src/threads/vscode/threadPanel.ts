import * as path from 'node:path';
import type * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { PageHost } from '../../webview/vscode/pageHost';
import { loadPage, type PageFiles } from '../../webview/vscode/loadPage';
import { FollowedThread, refreshWhenStale, type FollowedThreadSource } from '../common/page/followedThread';
import { didAsk, didUpdate, type ThreadUpdate, type threadRequests } from '../common/page/threadApi';
import { ThreadFeed } from '../common/page/threadFeed';
import type { ThreadHead } from '../common/threadPorts';
import { displayTitle } from '../common/tree/threadRow';
import type { ReadMarks } from '../common/tree/readMarks';
import { threadHandlers, type ThreadHandlerWindow } from './threadHandlers';

/** Shared by all panels of a window. */
export interface ThreadPanelWindow extends ThreadHandlerWindow {
  readonly threads: FollowedThreadSource & { find(threadId: string): ThreadHead | undefined };
  /** Adds a file again that the user opened before the window was reloaded. */
  readonly addFile: (file: string) => Promise<ThreadHead>;
  readonly marks: ReadMarks;
  /** Called when an unread thread was read. */
  readonly onDidMarkRead: () => void;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A thread in an editor tab. Does not own the tab, so dispose the panel when the tab is closed. */
export class ThreadPanel implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly followed: FollowedThread;
  private readonly feed: ThreadFeed;
  private readonly host: PageHost<typeof threadRequests>;
  private pendingCommand: { readonly entryId?: string; readonly find?: true } | undefined;
  private hasPosted = false;

  constructor(
    readonly threadId: string,
    private readonly panel: vscode.WebviewPanel,
    private readonly window: ThreadPanelWindow,
    /** Stored by the page to restore the tab, see `tabKeyOf`. */
    private readonly tabKey: string,
  ) {
    const { threads, actions, clock, log } = window;
    const onListenerError = (error: unknown): void => log.error('A listener of a thread failed', error);
    this.followed = this.disposables.add(new FollowedThread(threadId, threads, clock, onListenerError));
    this.feed = this.disposables.add(
      new ThreadFeed({
        followed: this.followed,
        actionsFor: ({ head }) => actions.availableFor(head),
        hasFile: () => this.file !== undefined,
        post: (update) => this.post(update),
        clock,
      }),
    );
    const handlers = threadHandlers({
      followed: this.followed,
      feed: this.feed,
      window,
      ready: () => this.connectPage(),
      file: () => this.file,
    });
    this.host = this.disposables.add(new PageHost(panel.webview, handlers, log, clock));
  }

  start(): void {
    const { panel, window } = this;
    this.host.start();
    this.feed.start();
    this.disposables.add(
      panel.onDidChangeViewState(() => {
        // A hidden page is discarded. When it is shown again, a new page reports that it is ready.
        if (!panel.visible) this.disconnectPage();
      }),
    );
    this.disposables.add(this.followed.onDidChange(() => this.updateTitle()));
    this.disposables.add(refreshWhenStale(this.followed, window.clock));
    loadPage(panel.webview, window.files, { title: 'Amp Thread', data: { thread: this.tabKey } });
    void this.followed.start();
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  reveal(): void {
    this.panel.reveal();
  }

  /** Jumps to an entry as soon as the page has the thread. */
  goTo(entryId: string): void {
    this.pendingCommand = { entryId };
    this.sendPendingCommand();
  }

  find(): void {
    this.pendingCommand = { find: true };
    this.sendPendingCommand();
  }

  /** Reads the thread again. */
  refresh(): void {
    void this.followed.refresh();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Absolute path of the thread's file, even if it cannot be read. The tab key of an opened file is its path. */
  private get file(): string | undefined {
    const { followed, tabKey, threadId, window } = this;
    const known = followed.thread?.head.path ?? window.threads.find(threadId)?.path;
    return known ?? (path.isAbsolute(tabKey) ? tabKey : undefined);
  }

  private connectPage(): void {
    this.hasPosted = false;
    this.followed.hideSubthreads();
    this.feed.connectPage(this.window.marks.lastSeenEntry(this.threadId));
  }

  private disconnectPage(): void {
    this.hasPosted = false;
    this.feed.disconnectPage();
  }

  private post(update: ThreadUpdate): void {
    this.host.notify(didUpdate, update);
    this.hasPosted = this.followed.thread !== undefined;
    this.markRead();
    this.sendPendingCommand();
  }

  private sendPendingCommand(): void {
    const { pendingCommand, followed } = this;
    if (!pendingCommand || !this.hasPosted || !this.feed.hasPage) return;
    this.pendingCommand = undefined;
    if (pendingCommand.find) {
      this.host.notify(didAsk, { kind: 'find' });
      return;
    }
    const { entryId } = pendingCommand;
    if (entryId !== undefined && followed.entry(entryId)) this.host.notify(didAsk, { kind: 'goTo', entryId });
  }

  private updateTitle(): void {
    const { thread } = this.followed;
    if (!thread) return;
    const title = displayTitle(thread.head);
    if (this.panel.title !== title) this.panel.title = title;
  }

  private markRead(): void {
    const { thread } = this.followed;
    if (!thread || !this.panel.visible) return;
    const last = thread.entries.findLast(({ parent }) => parent === undefined)?.id;
    if (this.window.marks.markRead(thread.head, last)) this.window.onDidMarkRead();
  }
}
