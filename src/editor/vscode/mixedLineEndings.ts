import * as vscode from 'vscode';
import { hasMixedLineEndings, keepLineEndings, unifyLineEndings } from '../common/text/lineEndings';
import { replaceCheckedFile } from '../node/checkedWrite';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import type { TextFileWithBytes } from './documentReload';
import { decodeWithLineEndings } from './encodings';

/**
 * Reads the text of a file in which VS Code would change line endings when it saves the document. Undefined for other files, and if
 * the user has chosen other line endings for the document.
 */
export async function readMixedLineEndings(
  file: CheckedPath,
  { encoding, eol }: vscode.TextDocument,
  readDisk: (path: string) => Promise<TextFileWithBytes>,
): Promise<string | undefined> {
  const onDisk = file.exists ? await readDisk(file.path).catch(() => undefined) : undefined;
  const text = onDisk && (await decodeWithLineEndings(onDisk.bytes, encoding));
  if (text === undefined || !hasMixedLineEndings(text)) return undefined;
  const isCrlf = unifyLineEndings(text).includes('\r\n');
  return isCrlf === (eol === vscode.EndOfLine.CRLF) ? text : undefined;
}

/**
 * Writes a saved file again with the line endings that it had: a document has one kind of them. The file keeps the time of the
 * save, `savedAt` in milliseconds since the epoch: VS Code refuses to save a file that is newer than the one it knows. Does
 * nothing if the user has typed since, because the user’s own save decides then. @throws EditorError `editRejected`, `saveFailed`
 */
export async function restoreLineEndings(
  guard: PathGuard,
  file: CheckedPath,
  document: vscode.TextDocument,
  before: string,
  savedAt: number,
): Promise<void> {
  if (document.isDirty) return;
  const text = keepLineEndings(before, document.getText());
  await replaceCheckedFile(guard, file, await vscode.workspace.encode(text, { encoding: document.encoding }), savedAt);
}
