import * as vscode from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import { panelTypes } from '../../manifest';
import { tabKeyOf, restoreThreadIdOfTab } from '../common/tree/tabKey';
import { ThreadPanel, type ThreadPanelDeps } from './threadPanel';

/** The stored state of a page. `threadId` is a key from `tabKeyOf`. */
const TabState = z.object({ threadId: z.string() });

/** The editor tabs with threads, at most one for each thread. VS Code discards their pages while they are hidden. */
export class ThreadPanels implements Disposable {
  private readonly panels = new Map<string, ThreadPanel>();

  constructor(private readonly deps: ThreadPanelDeps) {}

  get activePanel(): ThreadPanel | undefined {
    return [...this.panels.values()].find(({ isActive }) => isActive);
  }

  /** Opens or reveals the tab of a thread. Jumps to the entry `entryId`. */
  open(threadId: string, title: string, entryId?: string): ThreadPanel {
    const shown = this.panels.get(threadId);
    const panel = shown ?? this.addPanel(threadId, this.createTab(title), this.tabKeyOf(threadId));
    shown?.reveal();
    if (entryId !== undefined) panel.goToEntry(entryId);
    return panel;
  }

  /** Reads the displayed threads again. */
  refresh(): void {
    for (const panel of this.panels.values()) panel.refresh();
  }

  /** Restores a tab after a reload of the window. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const tabKey = TabState.safeParse(state).data?.threadId;
    // Without the stored state, it is unknown which thread the tab showed.
    if (tabKey === undefined) panel.dispose();
    else void this.restoreThread(panel, tabKey);
  }

  dispose(): void {
    // The tabs stay open and are restored after the window is reloaded.
    for (const panel of this.panels.values()) panel.dispose();
    this.panels.clear();
  }

  private async restoreThread(panel: vscode.WebviewPanel, tabKey: string): Promise<void> {
    const closed = new AbortController();
    panel.onDidDispose(() => closed.abort());
    const threadId = await restoreThreadIdOfTab(tabKey, (file) => this.deps.addFile(file));
    if (!closed.signal.aborted) this.showThreadInTab(panel, threadId, tabKey);
  }

  /** Shows a thread in a tab. If another tab already shows the thread, closes this one. */
  private showThreadInTab(panel: vscode.WebviewPanel, threadId: string, tabKey: string): void {
    if (this.panels.has(threadId)) panel.dispose();
    else this.addPanel(threadId, panel, tabKey);
  }

  private tabKeyOf(threadId: string): string {
    return tabKeyOf(threadId, this.deps.threads.find(threadId));
  }

  private createTab(title: string): vscode.WebviewPanel {
    return vscode.window.createWebviewPanel(panelTypes.thread, title, vscode.ViewColumn.Active);
  }

  private addPanel(threadId: string, panel: vscode.WebviewPanel, tabKey: string): ThreadPanel {
    const shown = new ThreadPanel(threadId, panel, this.deps, tabKey);
    this.panels.set(threadId, shown);
    panel.iconPath = vscode.Uri.joinPath(this.deps.files.folder, '..', '..', 'media', 'icon.png');
    panel.onDidDispose(() => {
      if (this.panels.get(threadId) === shown) this.panels.delete(threadId);
      shown.dispose();
    });
    shown.start();
    return shown;
  }
}
