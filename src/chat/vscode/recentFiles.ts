import * as vscode from 'vscode';
import { BoundedMap } from '../../base/common/boundedMap';
import { DisposableStore, type Disposable } from '../../base/common/disposable';

const maxFiles = 50;

/** The files that the user had in front of him, the last one first. */
export class RecentFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly paths = new BoundedMap<string, true>({ maxEntries: maxFiles });

  start(): void {
    for (const path of openFiles().reverse()) this.add(path);
    this.store.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === 'file') this.add(editor.document.uri.fsPath);
      }),
    );
  }

  get all(): readonly string[] {
    return [...this.paths.keys()].reverse();
  }

  dispose(): void {
    this.store.dispose();
    this.paths.clear();
  }

  private add(path: string): void {
    this.paths.set(path, true);
  }
}

/** Files in text tabs of all groups, the active ones first. */
export function openFiles(): string[] {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const tabs = [activeTabGroup, ...all].flatMap(({ activeTab }) => activeTab ?? []);
  const paths = [...tabs, ...all.flatMap((group) => group.tabs)].flatMap(({ input }) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
  );
  return [...new Set(paths)];
}
