import type * as vscode from 'vscode';
import { EditorError } from '../common/editorPort';
import { isWritable, statDisk } from '../node/diskReader';
import type { CheckedPath } from '../node/pathGuard';
import type { TextFileWithBytes } from './documentReload';
import { isDecodingLossless } from './encodings';
import { maxOpenBytes } from './documentsByPath';

/** Rejects files in which an edit would also change bytes outside the edited text. */
export async function requireLossless(
  { path }: CheckedPath,
  { encoding }: vscode.TextDocument,
  { bytes }: TextFileWithBytes,
): Promise<void> {
  if (await isDecodingLossless(bytes, encoding)) return;
  throw lossyEditError({ path }, encoding);
}

export function lossyEditError({ path }: Pick<CheckedPath, 'path'>, encoding: string): EditorError {
  return new EditorError(
    'notText',
    `${path} has bytes that are invalid in the encoding ${encoding}, so an edit would destroy them. Reopen it with its encoding (“Change File Encoding”), or set files.encoding.`,
  );
}

/** Rejects files that VS Code cannot open, and FIFOs, which could block it. */
export async function checkCanOpen(file: CheckedPath): Promise<void> {
  const { type, size } = await statDisk(file);
  if (type === 'directory') throw new EditorError('isDirectory', `${file.path} is a folder. Name a file in it.`);
  if (type === 'other') throw new EditorError('notAFile', `${file.path} is not a regular file, so it is not edited.`);
  if (size <= maxOpenBytes) return;
  throw new EditorError('tooLarge', `${file.path} has ${size} bytes; VS Code edits at most ${maxOpenBytes}.`);
}

/** Call before the edit, so that no edit remains unsaved. */
export async function checkWritable(file: CheckedPath): Promise<void> {
  if (!file.exists || (await isWritable(file))) return;
  throw new EditorError('editRejected', `${file.path} is read-only, so it was not edited. Make it writable first.`);
}

export function staleVersionError({ path }: CheckedPath): EditorError {
  return new EditorError('staleVersion', `${path} has changed since it was read. Read it again.`);
}

export function outdatedBufferError({ path }: CheckedPath): EditorError {
  const message = `VS Code has not read ${path} again since it changed on disk. The user can open it and run “File: Revert File”.`;
  return new EditorError('staleVersion', message);
}

export function editRejectedError({ path }: CheckedPath): EditorError {
  return new EditorError(
    'editRejected',
    `VS Code did not apply the edit to ${path}. It may be read-only, or it has just changed.`,
  );
}
