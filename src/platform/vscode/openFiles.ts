import * as vscode from 'vscode';

/** Returns the files in text tabs of all editor groups. Active tabs come first. */
export function listOpenFiles(): string[] {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const tabs = [activeTabGroup, ...all].flatMap(({ activeTab }) => activeTab ?? []);
  const paths = [...tabs, ...all.flatMap((group) => group.tabs)].flatMap(({ input }) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
  );
  return [...new Set(paths)];
}
