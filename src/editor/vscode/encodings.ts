import { isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';
import { EditorError } from '../common/editorPort';
import { unifyLineEndings } from '../common/text/lineEndings';

const replacement = '\ufffd';
/** VS Code's names of the encodings that hold every character. */
const unicode: ReadonlySet<string> = new Set(['utf8', 'utf8bom', 'utf16le', 'utf16be', 'utf32le', 'utf32be']);

/** The text of bytes as VS Code would show it, byte order mark included where it keeps it. */
export async function decode(bytes: Uint8Array, path: string): Promise<string> {
  return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
}

/** The text that a document with these bytes in this encoding has; undefined for bytes that VS Code takes for binary. */
export async function decodeAs(bytes: Buffer, encoding: string): Promise<string | undefined> {
  const text = await vscode.workspace.decode(bytes, { encoding }).then(
    (decoded) => decoded,
    () => undefined,
  );
  return text === undefined ? undefined : unifyLineEndings(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/**
 * Whether a text that VS Code has made of these bytes, in an encoding that is not known, has replaced some of them.
 * Bytes that are UTF-8, or have the byte order mark of UTF-16, may hold U+FFFD themselves.
 */
export function hasInvalidBytes(text: string, bytes: Buffer): boolean {
  return text.includes(replacement) && !isUtf8(bytes) && !hasUtf16Mark(bytes);
}

/** Whether VS Code would write these very bytes again, line endings and byte order mark aside. */
export async function isExact(bytes: Buffer, encoding: string): Promise<boolean> {
  if (encoding === 'utf8' || encoding === 'utf8bom') return isUtf8(bytes);
  const text = await vscode.workspace.decode(bytes, { encoding });
  const again = Buffer.from(await vscode.workspace.encode(text, { encoding }));
  return withoutMark(again).equals(withoutMark(bytes));
}

/** @throws EditorError `invalidText` when the encoding has no bytes for a character of the text */
export async function checkEncodable(text: string, encoding: string, path: string): Promise<void> {
  if (unicode.has(encoding)) return;
  const bytes = await vscode.workspace.encode(text, { encoding });
  // VS Code refuses to decode what looks binary.
  const again = await vscode.workspace.decode(bytes, { encoding }).then(
    (decoded) => decoded,
    () => undefined,
  );
  if (again === text) return;
  throw new EditorError(
    'invalidText',
    `${path} has the encoding ${encoding}, which lacks characters of the new text. Use others, or save the file as UTF-8.`,
  );
}

/** The encoding that VS Code gives to a new file. */
export function encodingOfNew(uri: vscode.Uri): string {
  return vscode.workspace.getConfiguration('files', uri).get<string>('encoding', 'utf8');
}

function hasUtf16Mark(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

function withoutMark(bytes: Buffer): Buffer {
  if (hasUtf16Mark(bytes)) return bytes.subarray(2);
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? bytes.subarray(3) : bytes;
}
