import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';

/**
 * Returns the title of the active editor if it is a multi-file diff editor with one of these titles. VS Code's API has
 * no type for this editor.
 */
export function activeMultiDiffTitle<T extends string>(titles: Iterable<T>): T | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  if (!tab || tab.input instanceof vscode.TabInputText) return undefined;
  return [...titles].find((title) => isLabelOf(tab.label, title));
}

/** Calls the listener when another tab becomes active, and when the label of a tab changes. */
export function watchTabs(listener: () => void): Disposable {
  const store = new DisposableStore();
  store.add(vscode.window.tabGroups.onDidChangeTabs(listener));
  store.add(vscode.window.tabGroups.onDidChangeTabGroups(listener));
  return store;
}

/** VS Code adds the number of files to the title, in parentheses. */
function isLabelOf(label: string, title: string): boolean {
  return label.startsWith(title) && /^( \([^()]*\))?$/.test(label.slice(title.length));
}
