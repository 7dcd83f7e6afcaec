import * as vscode from 'vscode';
import { EditorError } from '../common/editorPort';
import type { CheckedPath } from '../node/pathGuard';

/** Returns the open notebook of a file if it has unsaved changes. They are not in a text document. */
export function findUnsavedNotebook({ path, realPath }: CheckedPath): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && (uri.fsPath === path || uri.fsPath === realPath),
  );
}

/** @throws EditorError `dirty` */
export function requireNoUnsavedNotebook(file: CheckedPath): void {
  if (!findUnsavedNotebook(file)) return;
  throw new EditorError(
    'dirty',
    `${file.path} is open as a notebook with unsaved changes, which an edit of the file would lose. Ask the user to save it.`,
  );
}

/** @throws EditorError `saveFailed` */
export async function saveNotebook(notebook: vscode.NotebookDocument): Promise<void> {
  if (await notebook.save()) return;
  throw new EditorError('saveFailed', `The notebook ${notebook.uri.fsPath} could not be saved. The user can save it.`);
}
