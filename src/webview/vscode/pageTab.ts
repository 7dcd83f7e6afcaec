import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { loadPage, type PageFiles } from './loadPage';

interface TabHost {
  start(): void;
}

interface PageTabOptions<Host> {
  readonly viewType: string;
  readonly title: string;
  readonly name: PageFiles['name'];
  readonly extensionUri: vscode.Uri;
  /** Creates the host of a new tab. `store` is disposed with the tab. `reload` loads the page again. */
  readonly createHost: (panel: vscode.WebviewPanel, store: DisposableStore, reload: () => void) => Host;
}

/** An editor tab with a page; at most one per window. */
export class PageTab<Host extends TabHost = TabHost> implements Disposable {
  private openTab:
    { readonly panel: vscode.WebviewPanel; readonly store: DisposableStore; readonly host: Host } | undefined;

  constructor(private readonly options: PageTabOptions<Host>) {}

  /** Undefined if there is no tab. */
  get host(): Host | undefined {
    return this.openTab?.host;
  }

  /** Reveals the tab, or opens it. */
  show(): Host {
    const { title, viewType } = this.options;
    if (!this.openTab)
      return this.initialize(vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active));
    this.openTab.panel.reveal();
    return this.openTab.host;
  }

  /** Restores a tab after the window is reloaded. */
  restore(panel: vscode.WebviewPanel): void {
    if (this.openTab) panel.dispose();
    else this.initialize(panel);
  }

  /** The tab stays open, because VS Code restores it after a reload. */
  dispose(): void {
    this.openTab?.store.dispose();
    this.openTab = undefined;
  }

  private initialize(panel: vscode.WebviewPanel): Host {
    const { createHost, extensionUri, name, title } = this.options;
    const store = new DisposableStore();
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'pages');
    const load = (): void => loadPage(panel.webview, { folder, name }, { title, data: { place: 'tab' } });
    const host = createHost(panel, store, load);
    this.openTab = { panel, store, host };
    panel.onDidDispose(() => {
      store.dispose();
      if (this.openTab?.panel === panel) this.openTab = undefined;
    });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    host.start();
    load();
    return host;
  }
}
