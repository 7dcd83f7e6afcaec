import * as vscode from 'vscode';

/** Files in text tabs of all groups, the active ones first. */
export function openDocuments(): string[] {
  const groups = vscode.window.tabGroups.all;
  const tabs = [
    ...groups.flatMap(({ activeTab }) => (activeTab ? [activeTab] : [])),
    ...groups.flatMap(({ tabs }) => tabs),
  ];
  const active = vscode.window.tabGroups.activeTabGroup.activeTab;
  const inOrder = active ? [active, ...tabs] : tabs;
  const paths = inOrder.flatMap(({ input }) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
  );
  return [...new Set(paths)];
}
