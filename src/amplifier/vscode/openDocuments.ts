import * as vscode from 'vscode';
import type { OpenDocument } from '../common/contextCollector';

/** Files in text tabs of all groups, the active ones first. */
export function openDocuments(): OpenDocument[] {
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
  return [...new Set(paths)].map((path) => ({ path, language: languageOf(path) }));
}

/** The language id of a document that VS Code has loaded; `plaintext` for one that it has not. */
export function languageOf(path: string): string {
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path);
  return document?.languageId ?? 'plaintext';
}
