import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { ThreadRow } from '../common/tree/threadRow';

const scheme = 'backline-thread';

/** Marks rows of the list. The mark is part of the row's URI, so a row that changes is marked anew without being asked. */
export class ThreadDecorations implements Disposable {
  private readonly store = new DisposableStore();

  start(): void {
    this.store.add(
      vscode.window.registerFileDecorationProvider({
        provideFileDecoration: ({ scheme: of, query }) => (of === scheme ? decorations[query] : undefined),
      }),
    );
  }

  /** The id may be a path. */
  uriOf(threadId: string, state: ThreadRow['state']): vscode.Uri {
    return vscode.Uri.from({ scheme, path: `/${encodeURIComponent(threadId)}`, query: state });
  }

  dispose(): void {
    this.store.dispose();
  }
}

const decorations: Readonly<Partial<Record<string, vscode.FileDecoration>>> = {
  unread: new vscode.FileDecoration('●', 'New since you last looked', new vscode.ThemeColor('charts.blue')),
  running: new vscode.FileDecoration('▸', 'Running', new vscode.ThemeColor('charts.green')),
  waiting: new vscode.FileDecoration('?', 'Waits for you', new vscode.ThemeColor('list.warningForeground')),
  attention: new vscode.FileDecoration('!', 'Cannot be read', new vscode.ThemeColor('list.warningForeground')),
  faded: new vscode.FileDecoration(undefined, 'Archived', new vscode.ThemeColor('disabledForeground')),
} satisfies Partial<Record<ThreadRow['state'], vscode.FileDecoration>>;
