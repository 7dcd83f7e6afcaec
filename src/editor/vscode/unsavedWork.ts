import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findUnsavedFiles, type UnsavedKind } from '../../platform/vscode/openFiles';
import { EditorError } from '../common/editorPort';
import type { CheckedPath } from '../node/pathGuard';
import { pathKey } from './documentsByPath';

interface UnsavedWork {
  readonly kind: Exclude<UnsavedKind, 'text'>;
  /** The path by which the editor shows the file, possibly that of a link. */
  readonly path: string;
}

/** Returns the editor in which a file has unsaved changes that are in no text document. Never rejects. */
export async function findUnsavedWork(file: CheckedPath): Promise<UnsavedWork | undefined> {
  const names = new Set([file.path, file.realPath, file.canonicalPath].map(pathKey));
  for (const [path, kind] of findUnsavedFiles()) {
    if (kind === 'text') continue;
    const isNamed = names.has(pathKey(path)) || names.has(pathKey(await realpath(path).catch(() => path)));
    if (isNamed) return { kind, path };
  }
  return undefined;
}

/** @throws EditorError `dirty` */
export async function requireNoUnsavedWork(file: CheckedPath): Promise<void> {
  const unsaved = await findUnsavedWork(file);
  if (!unsaved) return;
  const editor = unsaved.kind === 'notebook' ? 'as a notebook' : 'in a custom editor';
  throw new EditorError(
    'dirty',
    `${file.path} is open ${editor} with unsaved changes, which an edit of the file would lose. Ask the user to save it.`,
  );
}

/**
 * Saves a notebook with unsaved changes. @throws EditorError `saveFailed`, and `dirty` for a custom editor, which only the user can
 * save
 */
export async function saveUnsavedWork(file: CheckedPath): Promise<void> {
  const unsaved = await findUnsavedWork(file);
  if (!unsaved) return;
  if (unsaved.kind === 'customEditor') {
    throw new EditorError(
      'dirty',
      `${file.path} is open in a custom editor with unsaved changes. Save it there and try again.`,
    );
  }
  const notebook = vscode.workspace.notebookDocuments.find(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && uri.fsPath === unsaved.path,
  );
  if (!notebook || (await notebook.save())) return;
  throw new EditorError('saveFailed', `The notebook ${notebook.uri.fsPath} could not be saved. The user can save it.`);
}
