import * as path from 'node:path';
import type * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { PageHost } from '../../webview/vscode/pageHost';
import { loadPage, type PageFiles } from '../../webview/vscode/loadPage';
import { FollowedThread, refreshWhenStale, type FollowedThreadPorts } from '../common/page/followedThread';
import { didAsk, didUpdate, type ThreadUpdate, type threadRequests } from '../common/page/threadApi';
import { ThreadFeed } from '../common/page/threadFeed';
import type { ThreadHead } from '../common/threadPorts';
import { shownTitle } from '../common/tree/threadRow';
import type { ReadMarks } from '../common/tree/readMarks';
import { threadHandlers, type HandlerWindow } from './threadHandlers';

/** What all pages of threads share. */
export interface ThreadPanelWindow extends HandlerWindow {
  readonly threads: FollowedThreadPorts & { find(threadId: string): ThreadHead | undefined };
  /** Takes in a file that was opened before the window was loaded again. */
  readonly addFile: (file: string) => Promise<ThreadHead>;
  readonly marks: ReadMarks;
  /** Something was read that was not before. */
  readonly onDidRead: () => void;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One thread in an editor tab. It does not own the tab: dispose it when that is gone. */
export class ThreadPanel implements Disposable {
  private readonly store = new DisposableStore();
  private readonly followed: FollowedThread;
  private readonly feed: ThreadFeed;
  private readonly host: PageHost<typeof threadRequests>;
  private goal: { readonly entryId?: string; readonly find?: true } | undefined;
  private hasPosted = false;

  constructor(
    readonly threadId: string,
    private readonly panel: vscode.WebviewPanel,
    private readonly window: ThreadPanelWindow,
    /** What the page keeps of the thread, see `keptOfTab`. */
    private readonly kept: string,
  ) {
    const { threads, actions, clock, log } = window;
    const onListenerError = (error: unknown): void => log.error('a listener of a thread failed', error);
    this.followed = this.store.add(new FollowedThread(threadId, threads, clock, onListenerError));
    this.feed = this.store.add(
      new ThreadFeed({
        followed: this.followed,
        actionsFor: ({ head }) => actions.available(head),
        hasFile: () => this.file !== undefined,
        post: (update) => this.post(update),
        clock,
      }),
    );
    const handlers = threadHandlers({
      followed: this.followed,
      feed: this.feed,
      window,
      ready: () => this.ready(),
      file: () => this.file,
    });
    this.host = this.store.add(new PageHost(panel.webview, handlers, log, clock));
  }

  start(): void {
    const { panel, window } = this;
    this.host.start();
    this.feed.start();
    this.store.add(
      panel.onDidChangeViewState(() => {
        // A page that is shown again is another one, and says that it is there.
        if (!panel.visible) this.pageLeft();
      }),
    );
    this.store.add(this.followed.onDidChange(() => this.threadChanged()));
    this.store.add(refreshWhenStale(this.followed, window.clock));
    loadPage(panel.webview, window.files, { title: 'Amp Thread', data: { thread: this.kept } });
    void this.followed.start();
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  reveal(): void {
    this.panel.reveal();
  }

  /** Shows an entry as soon as the page has the thread. */
  goTo(entryId: string): void {
    this.goal = { entryId };
    this.reachGoal();
  }

  find(): void {
    this.goal = { find: true };
    this.reachGoal();
  }

  /** Reads it again. */
  refresh(): void {
    void this.followed.refresh();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Absolute, of the thread, also when it could not be read. A file that was opened is what its tab keeps. */
  private get file(): string | undefined {
    const { followed, kept, threadId, window } = this;
    const known = followed.thread?.head.path ?? window.threads.find(threadId)?.path;
    return known ?? (path.isAbsolute(kept) ? kept : undefined);
  }

  private ready(): void {
    this.hasPosted = false;
    this.followed.hideSubthreads();
    this.feed.pageCame(this.window.marks.lastSeen(this.threadId));
  }

  private pageLeft(): void {
    this.hasPosted = false;
    this.feed.pageLeft();
  }

  private post(update: ThreadUpdate): void {
    this.host.notify(didUpdate, update);
    this.hasPosted = this.followed.thread !== undefined;
    this.markRead();
    this.reachGoal();
  }

  private reachGoal(): void {
    const { goal, followed } = this;
    if (!goal || !this.hasPosted || !this.feed.hasPage) return;
    this.goal = undefined;
    if (goal.find) {
      this.host.notify(didAsk, { what: 'find' });
      return;
    }
    const { entryId } = goal;
    if (entryId !== undefined && followed.entry(entryId)) this.host.notify(didAsk, { what: 'goTo', entryId });
  }

  private threadChanged(): void {
    const { thread } = this.followed;
    if (!thread) return;
    const title = shownTitle(thread.head);
    if (this.panel.title !== title) this.panel.title = title;
  }

  private markRead(): void {
    const { thread } = this.followed;
    if (!thread || !this.panel.visible) return;
    const last = thread.entries.findLast(({ parent }) => parent === undefined)?.id;
    if (this.window.marks.read(thread.head, last)) this.window.onDidRead();
  }
}
