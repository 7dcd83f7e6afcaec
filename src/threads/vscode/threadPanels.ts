import * as vscode from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import { panelTypes } from '../../manifest';
import { ThreadPanel, type ThreadPanelWindow } from './threadPanel';

/** What a page keeps for the day its tab is opened again. */
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
    const panel = shown ?? this.add(threadId, this.create(title));
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
    const kept = TabState.safeParse(state).data;
    // Without its state nobody knows which thread it was; with two tabs of one, one is enough.
    if (kept && !this.panels.has(kept.threadId)) this.add(kept.threadId, panel);
    else panel.dispose();
  }

  dispose(): void {
    // The tabs stay: a window that is loaded again fills them.
    for (const panel of this.panels.values()) panel.dispose();
    this.panels.clear();
  }

  private create(title: string): vscode.WebviewPanel {
    return vscode.window.createWebviewPanel(panelTypes.thread, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [this.window.files.folder],
    });
  }

  private add(threadId: string, panel: vscode.WebviewPanel): ThreadPanel {
    const shown = new ThreadPanel(threadId, panel, this.window);
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
