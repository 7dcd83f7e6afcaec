import * as vscode from 'vscode';
import { findUnsavedFiles, type UnsavedKind } from '../../platform/vscode/openFiles';
import { EditorError } from '../common/editorPort';
import type { CheckedPath } from '../node/pathGuard';

/** Returns the kind of editor in which a file has unsaved changes that are in no text document. */
export function findUnsavedWork({ path, realPath }: CheckedPath): Exclude<UnsavedKind, 'text'> | undefined {
  const unsaved = findUnsavedFiles();
  const kinds = [unsaved.get(path), unsaved.get(realPath)];
  return kinds.find((kind) => kind !== undefined && kind !== 'text');
}

/** @throws EditorError `dirty` */
export function requireNoUnsavedWork(file: CheckedPath): void {
  const kind = findUnsavedWork(file);
  if (kind === undefined) return;
  const editor = kind === 'notebook' ? 'as a notebook' : 'in a custom editor';
  throw new EditorError(
    'dirty',
    `${file.path} is open ${editor} with unsaved changes, which an edit of the file would lose. Ask the user to save it.`,
  );
}

/** Saves a notebook with unsaved changes. @throws EditorError `saveFailed`, and `dirty` for a custom editor, which only the user can save */
export async function saveUnsavedWork(file: CheckedPath): Promise<void> {
  const kind = findUnsavedWork(file);
  if (kind === undefined) return;
  if (kind === 'customEditor') {
    throw new EditorError(
      'dirty',
      `${file.path} is open in a custom editor with unsaved changes. Save it there and try again.`,
    );
  }
  const notebook = vscode.workspace.notebookDocuments.find(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && [file.path, file.realPath].includes(uri.fsPath),
  );
  if (!notebook || (await notebook.save())) return;
  throw new EditorError('saveFailed', `The notebook ${notebook.uri.fsPath} could not be saved. The user can save it.`);
}
