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

export type UnsavedKind = 'text' | 'notebook' | 'customEditor';

/**
 * Returns the files with unsaved changes in any kind of editor, by absolute path. Those of notebooks and of custom editors, such as for
 * images or bytes, are not in the text of the file.
 */
export function findUnsavedFiles(): ReadonlyMap<string, UnsavedKind> {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const custom = tabs.flatMap(({ isDirty, input }) =>
    input instanceof vscode.TabInputCustom ? [{ isDirty, uri: input.uri }] : [],
  );
  const unsaved = new Map<string, UnsavedKind>();
  const add = (
    kind: UnsavedKind,
    editors: readonly { readonly isDirty: boolean; readonly uri: vscode.Uri }[],
  ): void => {
    for (const { isDirty, uri } of editors) if (isDirty && uri.scheme === 'file') unsaved.set(uri.fsPath, kind);
  };
  add('customEditor', custom);
  // A custom editor can show a text document. Then the document has its changes.
  add('text', textDocuments);
  add('notebook', notebookDocuments);
  return unsaved;
}
