import type * as vscode from 'vscode';
import { withDeadline } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { PageHost } from '../../../webview/vscode/pageHost';
import { loadPage, type PageFiles } from '../../../webview/vscode/loadPage';
import { didAsk, didInsert, didUpdate, type chatRequests } from '../../common/page/chatApi';
import type { Chat } from '../../common/chatPorts';
import type { Draft } from '../../common/chatView';
import { PageFeed } from '../../common/page/pageFeed';
import { PageWatch } from '../../common/page/pageWatch';
import { chatHandlers, type PageControl } from './chatHandlers';
import type { ChatWindow } from './chatWindow';

export interface PageSurface {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  readonly onDidChangeVisibility: (listener: () => void) => vscode.Disposable;
}

interface ChatPageOptions {
  readonly window: ChatWindow;
  readonly surface: PageSurface;
  readonly files: PageFiles;
  /** Id of the conversation to restore. */
  readonly sessionId: string | undefined;
  /** Called with the shown conversation whenever it changes. */
  readonly onDidShow: (chat: Chat | undefined) => void;
  /** The page has the focus. */
  readonly onDidFocus: () => void;
  /** The page does not respond, not even after a reload. */
  readonly onSilent: () => void;
}

type PageAsk = 'focusComposer' | 'showSessions' | 'focusApproval' | 'find';
export type PageAnswer = 'allow' | 'deny';

/** The page stops waiting for the conversation to restore after this time. */
const restoreTimeoutMs = 3_000;

/** The host of one chat page. It does not own the webview; dispose it with the webview. */
export class ChatPageHost implements Disposable, PageControl {
  startedChat: Chat | undefined;
  private readonly store = new DisposableStore();
  private readonly feed: PageFeed;
  private readonly host: PageHost<typeof chatRequests>;
  private readonly watch: PageWatch;
  private restored: Promise<void> = Promise.resolve();
  /** Notifications to send when the page is ready. */
  private waiting: (() => void)[] = [];
  private wasReloaded = false;
  /** Identity of the latest choice of a conversation. */
  private latestChoice = {};

  constructor(private readonly options: ChatPageOptions) {
    const { window, surface } = options;
    const { clock, log } = window;
    this.host = this.store.add(new PageHost(surface.webview, chatHandlers(this, window), log, clock));
    this.feed = this.store.add(
      new PageFeed({
        ...window,
        post: (update) => this.host.notify(didUpdate, update),
        onOutdated: (chat) => void this.openAgain(chat),
      }),
    );
    this.watch = this.store.add(new PageWatch(clock, () => this.silent()));
  }

  start(): void {
    const { surface, window, sessionId } = this.options;
    this.host.start();
    this.feed.start();
    this.store.add(surface.onDidChangeVisibility(() => this.visibilityChanged()));
    this.store.add(surface.webview.onDidReceiveMessage(() => this.watch.heard()));
    this.store.add({ dispose: () => window.shown.set(this, undefined) });
    if (sessionId !== undefined) this.restored = this.restore(sessionId);
    this.load();
    this.visibilityChanged();
  }

  /** Disposes the listener with the page. */
  follow(listener: Disposable): void {
    this.store.add(listener);
  }

  get chat(): Chat | undefined {
    return this.feed.chat;
  }

  get isVisible(): boolean {
    return this.options.surface.isVisible();
  }

  show(chat: Chat | undefined, keepsComposer = false): void {
    this.latestChoice = {};
    this.startedChat = keepsComposer ? chat : undefined;
    this.feed.show(chat, keepsComposer);
    this.showsNow();
    this.options.onDidShow(chat);
  }

  startNavigation(): () => boolean {
    const mine = (this.latestChoice = {});
    return () => this.latestChoice === mine;
  }

  async ready(): Promise<void> {
    await this.restored;
    if (this.store.isDisposed) return;
    this.feed.pageCame();
    for (const say of this.waiting.splice(0)) say();
  }

  alive(): void {
    this.wasReloaded = false;
    // The page was hidden and is shown again without a reload: its content is outdated.
    if (this.isVisible && !this.feed.hasPage) this.feed.pageCame();
  }

  focused(): void {
    this.options.onDidFocus();
  }

  tellNow(): void {
    this.feed.flushNow();
  }

  loadOlder(count: number): void {
    this.feed.loadOlder(count);
  }

  draftSaved(): void {
    this.feed.draftSaved();
  }

  /** Updates the page after the workspace was trusted. */
  trustChanged(): void {
    this.feed.changed('untrusted', 'backends', 'chosenBackend');
  }

  /** Runs a command in the page as soon as it is ready. */
  ask(what: PageAsk): void {
    this.whenThere(() => this.host.notify(didAsk, { what }));
  }

  /** Answers the visible approval. Returns false when none is visible. */
  answer(how: PageAnswer): boolean {
    const isSeen = this.isVisible && this.feed.hasPage && this.chat !== undefined && isAsked(this.chat);
    if (isSeen) this.host.notify(didAsk, { what: how });
    return isSeen;
  }

  /** Inserts a draft into the composer as soon as the page is ready. */
  insert(draft: Draft): void {
    this.whenThere(() => this.host.notify(didInsert, draft));
  }

  /** Loads or reloads the page. Nothing is lost, since the host has all content. */
  load(): void {
    const { surface, files } = this.options;
    this.feed.pageLeft();
    loadPage(surface.webview, files, { title: 'Backline Chat' });
  }

  dispose(): void {
    this.store.dispose();
  }

  private async restore(sessionId: string): Promise<void> {
    const { chats, clock, log } = this.options.window;
    const isStillWanted = this.startNavigation();
    const opening = chats.open(sessionId).then((chat) => {
      if (!this.store.isDisposed && isStillWanted()) this.show(chat);
    });
    await withDeadline(clock, 'opening the conversation', restoreTimeoutMs, () => opening).catch((error: unknown) =>
      log.error('cannot restore the last conversation', error),
    );
  }

  /** Reopens a conversation that another window has taken over. Messages that were not saved are gone. Never rejects. */
  private async openAgain(outdated: Chat): Promise<void> {
    const { chats, log } = this.options.window;
    try {
      const chat = await chats.open(outdated.id);
      if (!this.store.isDisposed && this.chat === outdated) this.show(chat);
    } catch (error) {
      log.error('cannot reopen the conversation that another window has taken over', error);
    }
  }

  private visibilityChanged(): void {
    if (this.isVisible) {
      this.watch.start();
      void this.options.window.backends.refresh();
    } else {
      this.watch.dispose();
      this.feed.pageLeft();
    }
    this.showsNow();
  }

  private showsNow(): void {
    this.options.window.shown.set(this, this.isVisible && !this.store.isDisposed ? this.chat : undefined);
  }

  private silent(): void {
    const { window, onSilent } = this.options;
    if (this.wasReloaded) {
      window.log.error('the chat page does not respond after a reload');
      onSilent();
      return;
    }
    window.log.warn('the chat page does not respond and is reloaded');
    this.wasReloaded = true;
    this.load();
    this.watch.start();
  }

  private whenThere(say: () => void): void {
    if (this.feed.hasPage) say();
    else this.waiting.push(say);
  }
}

function isAsked({ view }: Chat): boolean {
  return view.approvals.some(({ state }) => state === 'pending');
}
