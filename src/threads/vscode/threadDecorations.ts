import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { ThreadRow } from '../common/tree/threadRow';

const scheme = 'backline-thread';

/** Decorates rows of the list. A row's URI contains its state, so that a changed state causes a new decoration. */
export class ThreadDecorations implements Disposable {
  private readonly disposables = new DisposableStore();

  start(): void {
    this.disposables.add(
      vscode.window.registerFileDecorationProvider({
        provideFileDecoration: ({ scheme: uriScheme, query }) =>
          uriScheme === scheme ? decorations[query] : undefined,
      }),
    );
  }

  /** Returns the URI of a row. The id may be a path. */
  uriOf(threadId: string, state: ThreadRow['state']): vscode.Uri {
    return vscode.Uri.from({ scheme, path: `/${encodeURIComponent(threadId)}`, query: state });
  }

  dispose(): void {
    this.disposables.dispose();
  }
}

const decorations: Readonly<Partial<Record<string, vscode.FileDecoration>>> = {
  unread: new vscode.FileDecoration('●', 'New since your last visit', new vscode.ThemeColor('charts.blue')),
  running: new vscode.FileDecoration('▸', 'Running', new vscode.ThemeColor('charts.green')),
  waiting: new vscode.FileDecoration('?', 'Waiting for you', new vscode.ThemeColor('list.warningForeground')),
  attention: new vscode.FileDecoration('!', 'Can’t be read', new vscode.ThemeColor('list.warningForeground')),
  faded: new vscode.FileDecoration(undefined, 'Archived', new vscode.ThemeColor('disabledForeground')),
} satisfies Partial<Record<ThreadRow['state'], vscode.FileDecoration>>;
