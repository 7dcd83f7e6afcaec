import * as vscode from 'vscode';
import type { Disposable } from '../../../base/common/disposable';
import { panelTypes, viewIds } from '../../../manifest';
import { loadPage } from '../../../webview/vscode/loadPage';
import { tabSurface, viewSurface } from '../../../webview/vscode/pageSurface';
import { PageTab } from '../../../webview/vscode/pageTab';
import { ConversationsPage, type ConversationsCommand, type ConversationsPageDeps } from './conversationsPage';

interface ConversationsPagesDeps extends ConversationsPageDeps {
  readonly extensionUri: vscode.Uri;
  /** Called when VS Code has made or closed the view. */
  readonly onDidChangeView: () => void;
}

const title = 'Conversations';
const name = 'conversations';

/** The page of all conversations: as a view, and as at most one editor tab. VS Code creates, hides and disposes them. */
export class ConversationsPages implements Disposable {
  private readonly tab: PageTab<ConversationsPage>;
  private shownView: { readonly view: vscode.WebviewView; readonly page: ConversationsPage } | undefined;
  private badge: vscode.ViewBadge | undefined;
  /** A command for the view, until VS Code has made it. */
  private waitingCommand: ConversationsCommand | undefined;

  constructor(private readonly deps: ConversationsPagesDeps) {
    const { extensionUri } = deps;
    this.tab = new PageTab({
      ...{ viewType: panelTypes.conversations, title, name, extensionUri },
      createHost: (panel, store, reload) => store.add(new ConversationsPage(tabSurface(panel), reload, deps)),
    });
  }

  /** Whether VS Code has the view, which can show a badge then. */
  get hasView(): boolean {
    return this.shownView !== undefined;
  }

  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.badge = badge;
    if (this.shownView) this.shownView.view.badge = badge;
  }

  /** Shows the view, with the focus on its rows. */
  async showView(command: ConversationsCommand = 'focus'): Promise<void> {
    if (this.shownView) this.shownView.page.runCommand(command);
    else this.waitingCommand = command;
    await vscode.commands.executeCommand(`${viewIds.conversations}.focus`);
  }

  showTab(): void {
    this.tab.show().runCommand('focus');
  }

  /** Focuses the search box: of the tab if that is visible, and otherwise of the view. */
  async search(): Promise<void> {
    if (this.tab.host?.isVisible) this.tab.show().runCommand('search');
    else await this.showView('search');
  }

  fillView(view: vscode.WebviewView): void {
    const folder = vscode.Uri.joinPath(this.deps.extensionUri, 'dist', 'pages');
    const load = (): void => loadPage(view.webview, { folder, name }, { title });
    const page = new ConversationsPage(viewSurface(view), load, this.deps);
    this.shownView = { view, page };
    view.onDidDispose(() => {
      page.dispose();
      if (this.shownView?.view !== view) return;
      this.shownView = undefined;
      this.deps.onDidChangeView();
    });
    page.start();
    if (this.waitingCommand) page.runCommand(this.waitingCommand);
    this.waitingCommand = undefined;
    view.badge = this.badge;
    this.deps.onDidChangeView();
    load();
  }

  /** Fills a restored tab after the window was reloaded. */
  restoreTab(panel: vscode.WebviewPanel): void {
    this.tab.restore(panel);
  }

  /** The tab stays open, so that VS Code restores it in the next window. */
  dispose(): void {
    this.tab.dispose();
    this.shownView?.page.dispose();
    this.shownView = undefined;
  }
}
