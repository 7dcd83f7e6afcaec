import * as vscode from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import { panelTypes } from '../../manifest';
import { keptOfTab, threadOfTab } from '../common/tree/keptTab';
import { ThreadPanel, type ThreadPanelWindow } from './threadPanel';

/** What a page keeps for the day its tab is opened again; the id is what `keptOfTab` made of it. */
const TabState = z.object({ threadId: z.string() });

/** The editor tabs with threads, one a thread. VS Code throws their pages away when they are hidden. */
export class ThreadPanels implements Disposable {
  private readonly panels = new Map<string, ThreadPanel>();

  constructor(private readonly window: ThreadPanelWindow) {}

  /** The tab in front, when it has the focus. */
  get active(): ThreadPanel | undefined {
    return [...this.panels.values()].find(({ isActive }) => isActive);
  }

  /** The tab that shows the thread already, or a new one; at the entry, if one is named. */
  open(threadId: string, title: string, entryId?: string): ThreadPanel {
    const shown = this.panels.get(threadId);
    const panel = shown ?? this.add(threadId, this.create(title), this.keptOf(threadId));
    shown?.reveal();
    if (entryId !== undefined) panel.goTo(entryId);
    return panel;
  }

  /** Reads the threads that are shown again. */
  refresh(): void {
    for (const panel of this.panels.values()) panel.refresh();
  }

  /** Fills a tab of a window that was loaded again. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = TabState.safeParse(state).data?.threadId;
    // Without its state nobody knows which thread it was.
    if (kept === undefined) panel.dispose();
    else void this.restoreKept(panel, kept);
  }

  dispose(): void {
    // The tabs stay: a window that is loaded again fills them.
    for (const panel of this.panels.values()) panel.dispose();
    this.panels.clear();
  }

  private async restoreKept(panel: vscode.WebviewPanel, kept: string): Promise<void> {
    const closed = new AbortController();
    panel.onDidDispose(() => closed.abort());
    const threadId = await threadOfTab(kept, (file) => this.window.addFile(file));
    if (!closed.signal.aborted) this.fill(panel, threadId, kept);
  }

  /** With two tabs of one thread, one is enough. */
  private fill(panel: vscode.WebviewPanel, threadId: string, kept: string): void {
    if (this.panels.has(threadId)) panel.dispose();
    else this.add(threadId, panel, kept);
  }

  private keptOf(threadId: string): string {
    return keptOfTab(threadId, this.window.threads.find(threadId));
  }

  private create(title: string): vscode.WebviewPanel {
    return vscode.window.createWebviewPanel(panelTypes.thread, title, vscode.ViewColumn.Active);
  }

  private add(threadId: string, panel: vscode.WebviewPanel, kept: string): ThreadPanel {
    const shown = new ThreadPanel(threadId, panel, this.window, kept);
    this.panels.set(threadId, shown);
    panel.iconPath = vscode.Uri.joinPath(this.window.files.folder, '..', '..', 'media', 'icon.png');
    panel.onDidDispose(() => {
      if (this.panels.get(threadId) === shown) this.panels.delete(threadId);
      shown.dispose();
    });
    shown.start();
    return shown;
  }
}
