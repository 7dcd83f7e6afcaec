import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import { namingHiddenCharacters } from '../../../base/common/hiddenCharacters';
import type { Memento } from '../../../base/common/memento';
import { panelTypes, viewIds } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import type { PageFiles } from '../../../webview/vscode/loadPage';
import type { Chat } from '../../common/chatPorts';
import { FocusOrder } from '../../common/page/focusOrder';
import { ChatPageHost, type PageSurface } from './chatPageHost';
import type { ChatWindow } from './chatWindow';

const shownName = 'chat.shown';
/** Marks the title of a tab with pending approvals, since tabs have no badge. */
const waitingMark = '● ';

interface ChatPagesOptions {
  readonly window: () => ChatWindow;
  readonly files: PageFiles;
  /** Stores the conversation that the view shows. */
  readonly memento: Memento;
  readonly messages: Messages;
}

/** The page state that VS Code keeps for a tab. */
const TabState = z.object({ sessionId: z.string() });

/** The chat view and the editor tabs. VS Code creates, hides and disposes them. */
export class ChatPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(
    new Emitter<void>((error) => this.options.window().log.error('a listener of the pages failed', error)),
  );
  /** A page was added, removed, shown or hidden, or shows another conversation. */
  readonly onDidChange = this.emitter.event;
  private readonly pages = new Set<ChatPageHost>();
  private readonly order = new FocusOrder<ChatPageHost>();
  private readonly tabs = new Map<vscode.WebviewPanel, ChatPageHost>();
  private view: { readonly view: vscode.WebviewView; readonly page: ChatPageHost } | undefined;
  private onceResolved: ((page: ChatPageHost) => void)[] = [];

  constructor(private readonly options: ChatPagesOptions) {}

  /** The visible page that had the focus last. */
  get active(): ChatPageHost | undefined {
    return this.order.active ?? this.inView;
  }

  /** The visible pages, the active one first. */
  get visible(): readonly ChatPageHost[] {
    const { active } = this;
    const shown = [...this.pages].filter(({ isVisible }) => isVisible);
    return [...shown.filter((page) => page === active), ...shown.filter((page) => page !== active)];
  }

  /** Whether any page, even a hidden one, shows no conversation. */
  get awaitsPrompt(): boolean {
    return [...this.pages].some(({ chat }) => chat === undefined);
  }

  get inView(): ChatPageHost | undefined {
    return this.view?.page;
  }

  async reveal(): Promise<ChatPageHost> {
    await vscode.commands.executeCommand(`${viewIds.chat}.focus`);
    const page = this.inView ?? (await new Promise<ChatPageHost>((resolve) => this.onceResolved.push(resolve)));
    this.order.focused(page);
    return page;
  }

  /**
   * Shows the view without a conversation. An existing page is emptied before VS Code reveals it, so that a
   * conversation started meanwhile stays.
   */
  async revealEmpty(): Promise<ChatPageHost> {
    const before = this.inView;
    before?.show(undefined);
    const page = await this.reveal();
    if (page !== before) page.show(undefined);
    return page;
  }

  /** Returns the active tab, or reveals the view. */
  async revealActive(): Promise<ChatPageHost> {
    const { active } = this;
    return active && active !== this.inView ? active : await this.reveal();
  }

  /** Reveals the tab that shows the conversation, or opens one. @throws ChatError */
  async openInTab(sessionId: string): Promise<void> {
    const [shown] = [...this.tabs].find(([, page]) => page.chat?.id === sessionId) ?? [];
    if (shown) {
      shown.reveal();
      return;
    }
    const chat = await this.options.window().chats.open(sessionId);
    const panel = vscode.window.createWebviewPanel(panelTypes.chat, chat.view.title, vscode.ViewColumn.Active);
    this.addTab(panel, chat.id);
  }

  /** Sets the view's badge. Does nothing until the view exists. */
  setBadge(value: number, tooltip: string): void {
    if (this.view) this.view.view.badge = value === 0 ? undefined : { value, tooltip };
  }

  forget(sessionId: string): void {
    for (const page of this.pages) if (page.chat?.id === sessionId) page.show(undefined);
  }

  trustChanged(): void {
    for (const page of this.pages) page.trustChanged();
  }

  /** Fills the view when it is first shown, or shown again after it was closed. */
  showIn(view: vscode.WebviewView): void {
    const sessionId = z.string().optional().catch(undefined).parse(this.options.memento.get(shownName));
    const surface: PageSurface = {
      webview: view.webview,
      isVisible: () => view.visible,
      onDidChangeVisibility: (listener) => view.onDidChangeVisibility(listener),
    };
    const page = this.addPage(surface, sessionId, (chat) => this.remember(chat));
    this.view = { view, page };
    view.onDidDispose(() => {
      if (this.view?.view === view) this.view = undefined;
      this.remove(page);
    });
    for (const resolve of this.onceResolved.splice(0)) resolve(page);
  }

  /** Fills a restored tab after the window was reloaded. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = TabState.safeParse(state).data;
    // Without its state the conversation is unknown.
    if (kept) this.addTab(panel, kept.sessionId);
    else panel.dispose();
  }

  dispose(): void {
    for (const page of this.pages) page.dispose();
    this.pages.clear();
    // The tabs stay open so that the next window can restore them.
    this.tabs.clear();
    this.store.dispose();
  }

  private addTab(panel: vscode.WebviewPanel, sessionId: string): void {
    const { files } = this.options;
    const surface: PageSurface = {
      webview: panel.webview,
      isVisible: () => panel.visible,
      onDidChangeVisibility: (listener) => panel.onDidChangeViewState(listener),
    };
    panel.iconPath = vscode.Uri.joinPath(files.folder, '..', '..', 'media', 'icon.png');
    let titled: Disposable | undefined;
    const page = this.addPage(surface, sessionId, (chat) => {
      titled?.dispose();
      const showTitle = (): void => {
        const isWaiting = chat !== undefined && chat.view.approvals.length > 0;
        const title = (isWaiting ? waitingMark : '') + namingHiddenCharacters(chat?.view.title ?? 'New Chat');
        if (panel.title !== title) panel.title = title;
      };
      showTitle();
      titled = chat?.onDidChange(showTitle);
    });
    this.tabs.set(panel, page);
    if (panel.active) this.order.focused(page);
    panel.onDidDispose(() => {
      titled?.dispose();
      this.tabs.delete(panel);
      this.remove(page);
    });
  }

  private addPage(surface: PageSurface, sessionId: string | undefined, onDidShow: (chat?: Chat) => void): ChatPageHost {
    const { window, files, messages } = this.options;
    const page: ChatPageHost = new ChatPageHost({
      window: window(),
      surface,
      files,
      sessionId,
      onDidShow: (chat) => {
        onDidShow(chat);
        this.emitter.fire();
      },
      onDidFocus: () => this.order.focused(page),
      onSilent: () =>
        messages.error('The chat is not responding.', { label: 'Reload', run: () => page.load() }),
    });
    this.pages.add(page);
    page.start();
    // After the page's own listener, so that listeners see the new state.
    page.follow(surface.onDidChangeVisibility(() => this.emitter.fire()));
    this.emitter.fire();
    return page;
  }

  private remove(page: ChatPageHost): void {
    page.dispose();
    this.pages.delete(page);
    this.order.remove(page);
    if (!this.store.isDisposed) this.emitter.fire();
  }

  private remember(chat: Chat | undefined): void {
    const { memento, window } = this.options;
    memento
      .update(shownName, chat?.id)
      .then(undefined, (error: unknown) => window().log.warn(`cannot remember what is shown: ${messageOf(error)}`));
  }
}
