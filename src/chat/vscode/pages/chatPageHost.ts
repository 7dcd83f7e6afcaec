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

/** The parts of a view or a panel that a page needs. */
export interface PageSurface {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  readonly onDidChangeVisibility: (listener: () => void) => vscode.Disposable;
}

interface ChatPageOptions {
  readonly window: ChatWindow;
  readonly surface: PageSurface;
  readonly files: PageFiles;
  /** The conversation that it begins with. */
  readonly sessionId: string | undefined;
  /** What it shows now; also to be remembered. */
  readonly onDidShow: (chat: Chat | undefined) => void;
  /** The user is in it. */
  readonly onDidFocus: () => void;
  /** The page does not answer, and loading it again did not help. */
  readonly onSilent: () => void;
}

type PageAsk = 'focusComposer' | 'showSessions' | 'focusApproval' | 'find';
export type PageAnswer = 'allow' | 'deny';

/** The page shows an empty conversation before it waits any longer for the one it had. */
const restoreTimeoutMs = 3_000;

/** One page of the chat: what it shows, and whether it is there. It does not own the webview; dispose it when that is gone. */
export class ChatPageHost implements Disposable, PageControl {
  startedChat: Chat | undefined;
  private readonly store = new DisposableStore();
  private readonly feed: PageFeed;
  private readonly host: PageHost<typeof chatRequests>;
  private readonly watch: PageWatch;
  private restored: Promise<void> = Promise.resolve();
  /** For the page when it is there. */
  private waiting: (() => void)[] = [];
  private wasReloaded = false;
  /** Identity of the latest choice of what to show. */
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

  /** Disposes it with the page. */
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
    // It was hidden and has come back without being loaded again: what it knows is old.
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

  /** Trust was granted: what the page says of it has changed. */
  trustChanged(): void {
    this.feed.changed('untrusted', 'backends', 'chosenBackend');
  }

  /** Carried out as soon as the page is there. */
  ask(what: PageAsk): void {
    this.whenThere(() => this.host.notify(didAsk, { what }));
  }

  /** Answers the question that the user sees on it now. False when nobody sees any. */
  answer(how: PageAnswer): boolean {
    const isSeen = this.isVisible && this.feed.hasPage && this.chat !== undefined && isAsked(this.chat);
    if (isSeen) this.host.notify(didAsk, { what: how });
    return isSeen;
  }

  /** Into the composer, as soon as the page is there. */
  insert(draft: Draft): void {
    this.whenThere(() => this.host.notify(didInsert, draft));
  }

  /** Loads the page anew; it loses nothing, as all it shows is here. */
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
      log.error('the conversation that was shown last cannot be opened', error),
    );
  }

  /** What was said here only is gone, as nobody keeps it. Never rejects. */
  private async openAgain(outdated: Chat): Promise<void> {
    const { chats, log } = this.options.window;
    try {
      const chat = await chats.open(outdated.id);
      if (!this.store.isDisposed && this.chat === outdated) this.show(chat);
    } catch (error) {
      log.error('the conversation that another window has taken over cannot be opened', error);
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
      window.log.error('the page of the chat does not answer, after it was loaded again too');
      onSilent();
      return;
    }
    window.log.warn('the page of the chat does not answer: it is loaded again');
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
