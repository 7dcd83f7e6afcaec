import { withDeadline } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { PageHost } from '../../../webview/vscode/pageHost';
import { loadPage, type PageFiles } from '../../../webview/vscode/loadPage';
import type { PageSurface } from '../../../webview/vscode/pageSurface';
import {
  didInvokeCommand,
  didInsertDraft,
  didRequestEntry,
  didUpdate,
  type chatRequests,
} from '../../common/page/chatApi';
import type { Chat } from '../../common/chatPorts';
import type { Draft } from '../../common/chatView';
import { PageFeed } from '../../common/page/feed/pageFeed';
import { HeartbeatMonitor } from '../../common/page/feed/heartbeatMonitor';
import { createChatHandlers, type PageControl } from './chatHandlers';
import type { ChatPageServices } from './chatPageServices';
import type { RestoredChats } from './restoredChats';

export interface ChatPageSurface extends PageSurface {
  readonly place: 'view' | 'tab';
}

interface ChatPageDeps {
  readonly services: ChatPageServices;
  readonly surface: ChatPageSurface;
  readonly files: PageFiles;
  readonly sessionId: string | undefined;
  readonly restored: RestoredChats;
  /** Called with the displayed conversation whenever another one is displayed. */
  readonly onDidShow: (chat: Chat | undefined) => void;
  readonly onDidFocus: () => void;
  /** Called when the page does not respond even after a reload. */
  readonly onUnresponsive: () => void;
}

type PageCommandName = 'focusComposer' | 'showSessions' | 'focusApproval' | 'find' | 'playSound';
export type ApprovalChoice = 'allow' | 'deny';

/** How long the page waits for the conversation that it restores. */
const restoreTimeoutMs = 3_000;

/** The host of one chat page. Does not own the webview. Dispose it when the webview is disposed. */
export class ChatPageHost implements Disposable, PageControl {
  startedChat: Chat | undefined;
  private readonly disposables = new DisposableStore();
  readonly feed: PageFeed;
  private readonly pageHost: PageHost<typeof chatRequests>;
  private readonly heartbeatMonitor: HeartbeatMonitor;
  private chatReopened: Promise<void> = Promise.resolve();
  private queuedNotifications: (() => void)[] = [];
  private wasReloaded = false;
  private isFocused = false;
  private latestNavigation = {};
  /** The conversation that the page is about to show, because it did before a reload. */
  private restoredId: string | undefined;

  constructor(private readonly deps: ChatPageDeps) {
    this.restoredId = deps.sessionId;
    const { services, surface } = deps;
    const { clock, log } = services;
    const handlers = createChatHandlers(this, services, this.disposables);
    this.pageHost = this.disposables.add(new PageHost(surface.webview, handlers, log, clock));
    this.feed = this.disposables.add(
      new PageFeed({
        ...services,
        post: (update) => this.pageHost.notify(didUpdate, update),
        onOutdated: (chat) => void this.reopenChat(chat),
      }),
    );
    this.heartbeatMonitor = this.disposables.add(new HeartbeatMonitor(clock, () => this.onUnresponsive()));
  }

  start(): void {
    const { surface, services, sessionId } = this.deps;
    this.pageHost.start();
    this.feed.start();
    this.disposables.add(surface.onDidChangeVisibility(() => this.onVisibilityChange()));
    this.disposables.add(surface.webview.onDidReceiveMessage(() => this.heartbeatMonitor.recordHeartbeat()));
    this.disposables.add({ dispose: () => services.shown.setShown(this, undefined) });
    if (sessionId !== undefined) this.chatReopened = this.restoreChat(sessionId);
    this.loadPage();
    this.onVisibilityChange();
  }

  addDisposable(listener: Disposable): void {
    this.disposables.add(listener);
  }

  get chat(): Chat | undefined {
    return this.feed.chat;
  }

  /** Id of the conversation that the page shows or is about to show. */
  get wantedId(): string | undefined {
    return this.chat?.id ?? this.restoredId;
  }

  get isVisible(): boolean {
    return this.deps.surface.isVisible();
  }

  show(chat: Chat | undefined, keepsComposer = false): void {
    this.latestNavigation = {};
    this.restoredId = undefined;
    this.startedChat = keepsComposer ? chat : undefined;
    this.feed.show(chat, keepsComposer);
    this.reportShownChat();
    this.deps.onDidShow(chat);
  }

  startNavigation(): () => boolean {
    const navigation = (this.latestNavigation = {});
    return () => this.latestNavigation === navigation;
  }

  async onReady(): Promise<void> {
    await this.chatReopened;
    if (!this.disposables.isDisposed) this.connectPage();
  }

  onHeartbeat(): void {
    this.wasReloaded = false;
    // The page is visible again without a reload, so its content is outdated.
    if (this.isVisible && !this.feed.hasPage) this.connectPage();
    else this.feed.onAlive();
  }

  onFocus(isFocused: boolean): void {
    this.isFocused = isFocused;
    if (isFocused) this.deps.onDidFocus();
  }

  /** Whether the user works in this page. */
  get hasFocus(): boolean {
    return this.isFocused && this.isVisible && this.feed.hasPage;
  }

  onTrustChange(): void {
    this.feed.markDirty('untrusted', 'backends', 'chosenBackend');
  }

  /** Runs a command in the page as soon as it is ready. */
  runCommand(command: PageCommandName): void {
    this.whenReady(() => this.pageHost.notify(didInvokeCommand, { what: command }));
  }

  focusComposer(): void {
    this.runCommand('focusComposer');
  }

  /** Shows an entry of the conversation, if the page displays that when it is ready. */
  showEntry(sessionId: string, entryId: string): void {
    this.whenReady(() => {
      // The page must have the conversation first.
      this.feed.flushNow();
      this.pageHost.notify(didRequestEntry, { sessionId, entryId });
    });
  }

  /** Answers the visible approval. Returns false if there is none. */
  answerApproval(choice: ApprovalChoice): boolean {
    const isSeen = this.isVisible && this.feed.hasPage && this.chat !== undefined && hasPendingApproval(this.chat);
    if (isSeen) this.pageHost.notify(didInvokeCommand, { what: choice });
    return isSeen;
  }

  /** Inserts a draft into the composer as soon as the page is ready. `sends`: also sends it if the composer was empty. */
  insertDraft(draft: Draft, sends = false): void {
    this.whenReady(() => {
      // The page must show the conversation, or none, for which it is meant.
      this.feed.flushNow();
      this.pageHost.notify(didInsertDraft, { ...draft, ...(sends && { sends }) });
    });
  }

  /** Loads or reloads the page. Nothing is lost, because the host has all content. */
  loadPage(): void {
    const { surface, files } = this.deps;
    this.feed.disconnectPage();
    loadPage(surface.webview, files, { title: 'Backline Chat', data: { place: surface.place } });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async restoreChat(sessionId: string): Promise<void> {
    const { restored, services } = this.deps;
    const { clock, log } = services;
    const isStillWanted = this.startNavigation();
    const show = (chat: Chat | undefined): void => {
      if (!this.disposables.isDisposed) this.show(chat);
    };
    const opening = restored.open(sessionId, show).then((chat) => {
      if (isStillWanted()) show(chat);
    });
    await withDeadline(clock, 'opening the conversation', restoreTimeoutMs, () => opening).catch((error: unknown) =>
      log.error('cannot restore the last conversation', error),
    );
  }

  /** Reopens a conversation that another window now writes. Unsaved messages are lost. Never rejects. */
  private async reopenChat(outdated: Chat): Promise<void> {
    const { chats, log } = this.deps.services;
    try {
      const chat = await chats.open(outdated.id);
      if (!this.disposables.isDisposed && this.chat === outdated) this.show(chat);
    } catch (error) {
      log.error('cannot reopen the conversation that another window has taken over', error);
    }
  }

  private onVisibilityChange(): void {
    if (this.isVisible) {
      this.heartbeatMonitor.start();
      void this.deps.services.backends.refresh();
    } else {
      // The page is gone before it can say that it has lost the focus.
      this.isFocused = false;
      this.heartbeatMonitor.dispose();
      this.feed.disconnectPage();
    }
    this.reportShownChat();
  }

  private reportShownChat(): void {
    this.deps.services.shown.setShown(this, this.isVisible && !this.disposables.isDisposed ? this.chat : undefined);
  }

  private onUnresponsive(): void {
    const { services, onUnresponsive } = this.deps;
    if (this.wasReloaded) {
      services.log.error('the chat page does not respond after a reload');
      onUnresponsive();
      return;
    }
    services.log.warn('the chat page does not respond and is reloaded');
    this.wasReloaded = true;
    this.loadPage();
    this.heartbeatMonitor.start();
  }

  private connectPage(): void {
    this.feed.connectPage();
    for (const notify of this.queuedNotifications.splice(0)) notify();
  }

  private whenReady(notify: () => void): void {
    if (this.feed.hasPage) notify();
    else this.queuedNotifications.push(notify);
  }
}

function hasPendingApproval({ view }: Chat): boolean {
  return view.approvals.some(({ state }) => state === 'pending');
}
