import * as vscode from 'vscode';
import { BoundedMap } from '../../base/common/boundedMap';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { listOpenFiles } from '../../platform/vscode/openFiles';

const maxFiles = 50;

/** The files that were active recently, the latest first. */
export class RecentFiles implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly paths = new BoundedMap<string, true>({ maxEntries: maxFiles });

  start(): void {
    for (const path of listOpenFiles().reverse()) this.addPath(path);
    this.disposables.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === 'file') this.addPath(editor.document.uri.fsPath);
      }),
    );
  }

  get recentPaths(): readonly string[] {
    return [...this.paths.keys()].reverse();
  }

  dispose(): void {
    this.disposables.dispose();
    this.paths.clear();
  }

  private addPath(path: string): void {
    this.paths.set(path, true);
  }
}
