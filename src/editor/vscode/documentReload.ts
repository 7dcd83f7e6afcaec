import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import { isEditorError, type EditorErrorCode, type TextFile } from '../common/editorPort';
import { decodeDocumentText, isUtf8Encoding, startsWithUtf8Mark } from './encodings';

/** A text that was read from disk, and the bytes from which it was decoded. */
export interface TextFileWithBytes {
  readonly file: TextFile;
  readonly bytes: Buffer;
}

/** How long VS Code can take to reload a changed file. Its file watcher needs less time. */
const reloadTimeoutMs = 1000;

/** Waits until VS Code changes the text of a document, at most as long as it usually takes to reload a changed file. */
export async function waitForReload(document: vscode.TextDocument, clock: Clock): Promise<void> {
  const store = new DisposableStore();
  await new Promise<void>((resolve) => {
    store.add(clock.setTimer(reloadTimeoutMs, resolve));
    store.add(
      vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.document === document && change.contentChanges.length > 0) resolve();
      }),
    );
  });
  store.dispose();
}

/** There is no text file to compare a document with. The user still sees the document. */
const noTextFileErrors: ReadonlySet<EditorErrorCode> = new Set(['isDirectory', 'notAFile', 'notFound', 'notText']);

/** Returns undefined if there is no text file at a path. @throws all other errors */
export function ignoreIfNoTextFile(error: unknown): undefined {
  if (!isEditorError(error) || !noTextFileErrors.has(error.code)) throw error;
  return undefined;
}

/**
 * Whether `reloadDocument` can reload a document. Only UTF-8 has two names with which the text is the same. In a visible editor, the
 * user could type before the encoding is restored.
 */
export function canReload(document: vscode.TextDocument): boolean {
  return (
    isUtf8Encoding(document.encoding) &&
    !vscode.window.visibleTextEditors.some((editor) => editor.document === document)
  );
}

/** Returns VS Code's name of UTF-8 with or without a byte order mark. */
export function utf8NameFor(bytes: Buffer): 'utf8' | 'utf8bom' {
  return startsWithUtf8Mark(bytes) ? 'utf8bom' : 'utf8';
}

/**
 * Makes VS Code read the file of an unedited document again. VS Code misses some changes, for example those in folders that were
 * removed and created again, or that `files.watcherExclude` excludes. The command that reverts a file needs an active editor
 * with it, but VS Code also reads a file when it is opened with another encoding. `bytes` are those of the file: they decide
 * whether it keeps a byte order mark when it is saved.
 * @throws Error if VS Code cannot read the file, or if the document has unsaved changes
 */
export async function reloadDocument({ uri }: vscode.TextDocument, bytes: Buffer): Promise<void> {
  const encoding = utf8NameFor(bytes);
  try {
    await vscode.workspace.openTextDocument(uri, { encoding: encoding === 'utf8' ? 'utf8bom' : 'utf8' });
  } finally {
    // VS Code has changed the encoding even if it could not read the file.
    await vscode.workspace.openTextDocument(uri, { encoding });
  }
}

/** Whether a document has the text of its file, decoded with the document's encoding. */
export async function hasTextOf(document: vscode.TextDocument, { file, bytes }: TextFileWithBytes): Promise<boolean> {
  const text = document.getText();
  return file.text === text || (await decodeDocumentText(bytes, document.encoding)) === text;
}
