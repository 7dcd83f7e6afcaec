import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import type { Memento } from '../../../base/common/memento';
import { panelTypes } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import type { PageFiles } from '../../../webview/vscode/loadPage';
import { tabSurface, viewSurface } from '../../../webview/vscode/pageSurface';
import type { Chat } from '../../common/chatPorts';
import type { ChatMarks } from '../../common/marks/chatMarks';
import { FocusOrder } from '../../common/page/focusOrder';
import { ChatPageHost, type ChatPageSurface } from './chatPageHost';
import { chatViewId } from './chatViewId';
import type { ChatPageServices } from './chatPageServices';
import type { RestoredChats } from './restoredChats';

const shownChatKey = 'chat.shown';
/** Added to the title of a tab whose conversation needs the user, for those who see no icons of tabs. */
const needsInputPrefix = '● ';

interface ChatPagesDeps {
  readonly getServices: () => ChatPageServices;
  readonly files: PageFiles;
  readonly memento: Memento;
  readonly messages: Pick<Messages, 'warning'>;
  readonly restored: RestoredChats;
}

const TabState = z.object({ sessionId: z.string() });

/** The chat view and the chat tabs. VS Code creates, hides and disposes them. */
export class ChatPages implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<void>((error) => this.deps.getServices().log.error('a listener of the pages failed', error)),
  );
  /** Fires when a page was added, removed, shown or hidden, or shows another conversation. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly pages = new Set<ChatPageHost>();
  private readonly focusOrder = new FocusOrder<ChatPageHost>();
  private readonly pagesByPanel = new Map<vscode.WebviewPanel, ChatPageHost>();
  private readonly icons = new Map<string, vscode.Uri>();
  private shownView: { readonly view: vscode.WebviewView; readonly page: ChatPageHost } | undefined;
  private marks: Pick<ChatMarks, 'tabs' | 'badge'> = { tabs: new Map(), badge: undefined };
  private viewResolvers: ((page: ChatPageHost) => void)[] = [];

  constructor(private readonly deps: ChatPagesDeps) {}

  /** The visible page that had the focus last. */
  get activePage(): ChatPageHost | undefined {
    return this.focusOrder.activePage ?? this.viewPage;
  }

  get all(): Iterable<ChatPageHost> {
    return this.pages;
  }

  get visiblePages(): readonly ChatPageHost[] {
    const { activePage } = this;
    const shown = [...this.pages].filter(({ isVisible }) => isVisible);
    return [...shown.filter((page) => page === activePage), ...shown.filter((page) => page !== activePage)];
  }

  /** Whether any page shows no conversation. Includes hidden pages. */
  get hasEmptyPage(): boolean {
    return [...this.pages].some(({ chat }) => chat === undefined);
  }

  /** Whether the user works in one of the pages. */
  get hasFocus(): boolean {
    return [...this.pages].some((page) => page.hasFocus);
  }

  get viewPage(): ChatPageHost | undefined {
    return this.shownView?.page;
  }

  /** The page of the chat tab that is the active editor, even if the focus is somewhere else. */
  get activeTabPage(): ChatPageHost | undefined {
    return [...this.pagesByPanel].find(([panel]) => panel.active)?.[1];
  }

  /** Whether VS Code has tabs of the chat from before a reload that it has not shown yet. */
  get hasUnrestoredTabs(): boolean {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isOurs = ({ input }: vscode.Tab): boolean =>
      input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelTypes.chat);
    return tabs.filter(isOurs).length > this.pagesByPanel.size;
  }

  async revealView(): Promise<ChatPageHost> {
    await vscode.commands.executeCommand(`${chatViewId()}.focus`);
    const page = this.viewPage ?? (await new Promise<ChatPageHost>((resolve) => this.viewResolvers.push(resolve)));
    this.focusOrder.markFocused(page);
    return page;
  }

  /**
   * Shows the view without a conversation. An existing page is cleared before VS Code reveals it, so that a
   * conversation that is started in the meantime stays visible.
   */
  async revealEmpty(): Promise<ChatPageHost> {
    const before = this.viewPage;
    before?.show(undefined);
    const page = await this.revealView();
    if (page !== before) page.show(undefined);
    return page;
  }

  /** Returns the page in the active tab, or reveals the view and returns its page. */
  async revealActive(): Promise<ChatPageHost> {
    const { activePage } = this;
    return activePage && activePage !== this.viewPage ? activePage : await this.revealView();
  }

  /** Reveals the tab that shows the conversation, or opens one. @throws ChatError */
  async openInTab(sessionId: string, column = vscode.ViewColumn.Active): Promise<ChatPageHost> {
    const shown = this.revealTab(sessionId);
    if (shown) return shown;
    const chat = await this.deps.getServices().chats.open(sessionId);
    const panel = vscode.window.createWebviewPanel(panelTypes.chat, chat.view.title, column);
    return this.addTab(panel, chat.id);
  }

  /** Reveals the tab that shows the conversation, or shows it in the view. */
  async reveal(chat: Chat): Promise<ChatPageHost> {
    const tabPage = this.revealTab(chat.id);
    if (tabPage) return tabPage;
    const page = await this.revealView();
    if (page.chat?.id !== chat.id) page.show(chat);
    return page;
  }

  /** Marks the tabs, and the view if it exists. */
  setMarks(marks: Pick<ChatMarks, 'tabs' | 'badge'>): void {
    this.marks = marks;
    for (const [panel, page] of this.pagesByPanel) this.labelTab(panel, page.chat);
    this.showBadge();
  }

  /** Plays a short sound in a visible page. Does nothing if there is none: VS Code does not run hidden pages. */
  playSound(): void {
    this.visiblePages.find(({ feed }) => feed.hasPage)?.runCommand('playSound');
  }

  stopShowingChat(sessionId: string): void {
    for (const page of this.pages) if (page.chat?.id === sessionId) page.show(undefined);
  }

  onTrustChange(): void {
    for (const page of this.pages) page.onTrustChange();
  }

  fillView(view: vscode.WebviewView): void {
    const sessionId = z.string().optional().catch(undefined).parse(this.deps.memento.get(shownChatKey));
    const page = this.addPage({ place: 'view', ...viewSurface(view) }, sessionId, (chat) => this.saveShownChat(chat));
    this.shownView = { view, page };
    view.onDidDispose(() => {
      if (this.shownView?.view === view) this.shownView = undefined;
      this.removePage(page);
    });
    this.showBadge();
    for (const resolve of this.viewResolvers.splice(0)) resolve(page);
  }

  restoreTab(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = TabState.safeParse(state).data;
    if (kept) this.addTab(panel, kept.sessionId);
    else panel.dispose();
  }

  dispose(): void {
    for (const page of this.pages) page.dispose();
    this.pages.clear();
    // The tabs stay open, so that VS Code restores them in the next window.
    this.pagesByPanel.clear();
    this.disposables.dispose();
  }

  private addTab(panel: vscode.WebviewPanel, sessionId: string): ChatPageHost {
    let titleListener: Disposable | undefined;
    const page = this.addPage({ place: 'tab', ...tabSurface(panel) }, sessionId, (chat) => {
      titleListener?.dispose();
      this.labelTab(panel, chat);
      titleListener = chat?.onDidChange(() => this.labelTab(panel, chat));
    });
    this.pagesByPanel.set(panel, page);
    if (panel.active) this.focusOrder.markFocused(page);
    panel.onDidDispose(() => {
      titleListener?.dispose();
      this.pagesByPanel.delete(panel);
      this.removePage(page);
    });
    return page;
  }

  /** Reveals the tab that shows the conversation. Returns its page, or undefined if there is no such tab. */
  private revealTab(sessionId: string): ChatPageHost | undefined {
    const [panel, page] = [...this.pagesByPanel].find(([, { chat }]) => chat?.id === sessionId) ?? [];
    if (!panel || !page) return undefined;
    panel.reveal();
    this.focusOrder.markFocused(page);
    return page;
  }

  private labelTab(panel: vscode.WebviewPanel, chat: Chat | undefined): void {
    const mark = chat && this.marks.tabs.get(chat.id);
    const prefix = mark === 'needsInput' ? needsInputPrefix : '';
    const title = prefix + showHiddenCharacters(chat?.view.title ?? 'New conversation');
    if (panel.title !== title) panel.title = title;
    panel.iconPath = this.iconOf(mark ? `tab/${mark}.svg` : 'icon.png');
  }

  /** Returns the same object for the same file, so that VS Code sees that an icon has not changed. */
  private iconOf(file: string): vscode.Uri {
    const icon = this.icons.get(file) ?? vscode.Uri.joinPath(this.deps.files.folder, '..', '..', 'media', file);
    this.icons.set(file, icon);
    return icon;
  }

  private showBadge(): void {
    if (this.shownView) this.shownView.view.badge = this.marks.badge;
  }

  private addPage(
    surface: ChatPageSurface,
    sessionId: string | undefined,
    onDidShow: (chat?: Chat) => void,
  ): ChatPageHost {
    const { getServices, files, messages, restored } = this.deps;
    const page: ChatPageHost = new ChatPageHost({
      services: getServices(),
      surface,
      files,
      sessionId,
      restored,
      onDidShow: (chat) => {
        onDidShow(chat);
        if (chat) void restored.noteShown(chat.id);
        this.changeEmitter.fire();
      },
      onDidFocus: () => this.focusOrder.markFocused(page),
      // Not a notice, which the page itself would show, and no error, which VS Code would show over the chat until it is closed.
      onUnresponsive: () =>
        messages.warning('The chat is not responding.', { label: 'Reload', run: () => page.loadPage() }),
    });
    this.pages.add(page);
    page.start();
    // Registered after the page's own listener, so that other listeners see the new state.
    page.addDisposable(surface.onDidChangeVisibility(() => this.changeEmitter.fire()));
    this.changeEmitter.fire();
    return page;
  }

  private removePage(page: ChatPageHost): void {
    page.dispose();
    this.pages.delete(page);
    this.focusOrder.remove(page);
    if (!this.disposables.isDisposed) this.changeEmitter.fire();
  }

  private saveShownChat(chat: Chat | undefined): void {
    const { memento, getServices } = this.deps;
    memento
      .update(shownChatKey, chat?.id)
      .then(undefined, (error: unknown) =>
        getServices().log.warn(`cannot remember what is shown: ${messageOf(error)}`),
      );
  }
}
