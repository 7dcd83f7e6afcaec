import { isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';
import { EditorError } from '../common/editorPort';
import { unifyLineEndings } from '../common/text/lineEndings';
import { decodeText, startsWithUtf16Bom } from '../node/diskReader';

export const replacementCharacter = '\ufffd';
/** VS Code's ids of the encodings that support every character. */
const unicodeEncodings: ReadonlySet<string> = new Set(['utf8', 'utf8bom', 'utf16le', 'utf16be', 'utf32le', 'utf32be']);

/** Decodes bytes as VS Code would. VS Code keeps some byte order marks. */
export async function decodeFile(bytes: Uint8Array, path: string): Promise<string> {
  return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
}

/** Decodes bytes to the text that `EditorPort.readText` returns for them. @throws EditorError `notText`, also for invalid bytes */
export async function decodeTextOrThrow(bytes: Uint8Array, path: string): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = unifyLineEndings(await decodeText(path, buffer, decodeFile));
  if (hasInvalidBytes(text, buffer)) throw new EditorError('notText', `${path} has bytes that are not text.`);
  return text;
}

/** Decodes bytes to the text of a VS Code document. Returns undefined if VS Code treats them as binary. */
export async function decodeDocumentText(bytes: Buffer, encoding: string): Promise<string | undefined> {
  const text = await decodeWithLineEndings(bytes, encoding);
  return text === undefined ? undefined : unifyLineEndings(text);
}

/** As `decodeDocumentText`, but with the line endings of the file, which VS Code makes the same. */
export async function decodeWithLineEndings(bytes: Buffer, encoding: string): Promise<string | undefined> {
  // Valid UTF-8 is decoded here, because VS Code's function waits for another process.
  const isPlainUtf8 = isUtf8Encoding(encoding) && isUtf8(bytes) && !bytes.includes(0);
  const text = isPlainUtf8 ? bytes.toString('utf8') : await decodeOrUndefined(bytes, encoding);
  return text?.startsWith('\ufeff') === true ? text.slice(1) : text;
}

export function isUtf8Encoding(encoding: string): boolean {
  return encoding === 'utf8' || encoding === 'utf8bom';
}

export function startsWithUtf8Mark(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff'));
}

export function startsWithMark(bytes: Buffer): boolean {
  return startsWithUtf8Mark(bytes) || startsWithUtf16Bom(bytes);
}

/** Whether decoding replaced invalid bytes. Valid UTF-8, and UTF-16 with a mark, can contain U+FFFD itself. */
export function hasInvalidBytes(text: string, bytes: Buffer): boolean {
  return text.includes(replacementCharacter) && !isUtf8(bytes) && !startsWithUtf16Bom(bytes);
}

/** Whether decoding and encoding keep the bytes, except for line endings and the byte order mark. */
export async function isDecodingLossless(bytes: Buffer, encoding: string): Promise<boolean> {
  if (isUtf8Encoding(encoding)) return isUtf8(bytes);
  const text = await vscode.workspace.decode(bytes, { encoding });
  const again = Buffer.from(await vscode.workspace.encode(text, { encoding }));
  return withoutMark(again).equals(withoutMark(bytes));
}

/** @throws EditorError `invalidText` if the encoding does not support a character of the text */
export async function requireEncodable(text: string, encoding: string, path: string): Promise<void> {
  if (unicodeEncodings.has(encoding)) return;
  const bytes = await vscode.workspace.encode(text, { encoding });
  if ((await decodeOrUndefined(bytes, encoding)) === text) return;
  throw new EditorError(
    'invalidText',
    `${path} has the encoding ${encoding}, which does not support some characters of the new text. Use other characters, or save the file as UTF-8.`,
  );
}

/** Returns the encoding that VS Code uses for a new file. */
export function encodingForNewFile(uri: vscode.Uri): string {
  return vscode.workspace.getConfiguration('files', uri).get<string>('encoding', 'utf8');
}

/** Returns undefined if the bytes look binary, because VS Code then refuses to decode them. */
async function decodeOrUndefined(bytes: Uint8Array, encoding: string): Promise<string | undefined> {
  try {
    return await vscode.workspace.decode(bytes, { encoding });
  } catch {
    return undefined;
  }
}

function withoutMark(bytes: Buffer): Buffer {
  if (startsWithUtf16Bom(bytes)) return bytes.subarray(2);
  return startsWithUtf8Mark(bytes) ? bytes.subarray(3) : bytes;
}
