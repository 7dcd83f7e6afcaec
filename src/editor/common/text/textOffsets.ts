import { EditorError, type Position, type Range } from '../editorPort';

// Conversions between UTF-16 offsets (JavaScript), UTF-8 byte offsets (Amp) and line/character positions (VS Code).
// Offsets
// that are out of range or inside a character throw EditorError `invalidRange`.

const firstNonAscii = /[\u0080-\uffff]/;
const lineEnd = /\r\n|\r|\n/g;

/** Returns the length in UTF-8 bytes. A lone surrogate counts as U+FFFD (3 bytes). */
export function utf8Length(text: string): number {
  const asciiLength = text.search(firstNonAscii);
  if (asciiLength === -1) return text.length;
  let bytes = asciiLength;
  for (let offset = asciiLength; offset < text.length;) {
    bytes += utf8Width(text, offset);
    offset += utf16Width(text, offset);
  }
  return bytes;
}

/** Converts a UTF-8 byte offset to a UTF-16 offset. @throws EditorError `invalidRange` */
export function utf16OffsetAt(text: string, byteOffset: number): number {
  if (!Number.isInteger(byteOffset) || byteOffset < 0)
    throw invalidRangeError(`byte offset ${byteOffset} is not in the text`);
  const found = text.search(firstNonAscii);
  const asciiLength = found === -1 ? text.length : found;
  if (byteOffset <= asciiLength) return byteOffset;
  let bytes = asciiLength;
  let offset = asciiLength;
  while (bytes < byteOffset && offset < text.length) {
    bytes += utf8Width(text, offset);
    offset += utf16Width(text, offset);
  }
  if (bytes < byteOffset)
    throw invalidRangeError(`byte offset ${byteOffset} is past the end of the text (${bytes} bytes)`);
  if (bytes > byteOffset) throw invalidRangeError(`byte offset ${byteOffset} is inside a character`);
  return offset;
}

/** Whether a UTF-16 offset is inside a surrogate pair. */
export function splitsSurrogatePair(text: string, offset: number): boolean {
  return isHighSurrogate(text.charCodeAt(offset - 1)) && isLowSurrogate(text.charCodeAt(offset));
}

/** Whether a UTF-16 offset is inside a CRLF, where VS Code has no position. */
export function splitsLineEnding(text: string, offset: number): boolean {
  return text[offset - 1] === '\r' && text[offset] === '\n';
}

/** Maps offsets to lines as VS Code does: LF, CRLF and a lone CR end a line. */
export class LineIndex {
  private readonly lineStarts: number[] = [0];
  /** Offset of the end of each line, before its line ending. */
  private readonly lineEnds: number[] = [];

  constructor(readonly text: string) {
    for (const match of text.matchAll(lineEnd)) {
      this.lineEnds.push(match.index);
      this.lineStarts.push(match.index + match[0].length);
    }
    this.lineEnds.push(text.length);
  }

  get lineCount(): number {
    return this.lineStarts.length;
  }

  /** Returns a line without its line ending. @throws EditorError `invalidRange` */
  lineText(line: number): string {
    return this.text.slice(...this.lineBounds(line));
  }

  /** Converts a position to a UTF-16 offset. @throws EditorError `invalidRange` */
  offsetAt(position: Position): number {
    const [start, end] = this.lineBounds(position.line);
    const offset = start + position.character;
    if (!Number.isInteger(position.character) || position.character < 0 || offset > end) {
      throw invalidRangeError(`line ${position.line} has no character ${position.character}`);
    }
    checkOffset(this.text, offset);
    return offset;
  }

  /** Converts a UTF-16 offset to a position. @throws EditorError `invalidRange`, also between CR and LF */
  positionAt(offset: number): Position {
    checkOffset(this.text, offset);
    const line = this.lineAt(offset);
    const [start, end] = this.lineBounds(line);
    if (offset > end) throw invalidRangeError(`offset ${offset} is inside a line ending`);
    return { line, character: offset - start };
  }

  rangeAt(start: number, end: number): Range {
    return { start: this.positionAt(start), end: this.positionAt(end) };
  }

  /** Returns the nearest valid position, like VS Code's `TextDocument.validatePosition`. */
  clamp(position: Position): Position {
    const line = Math.min(Math.max(position.line, 0), this.lineCount - 1);
    const [start, end] = this.lineBounds(line);
    if (position.line > line) return { line, character: end - start };
    const character = position.line < 0 ? 0 : Math.min(Math.max(position.character, 0), end - start);
    return { line, character: splitsSurrogatePair(this.text, start + character) ? character - 1 : character };
  }

  private lineBounds(line: number): [start: number, end: number] {
    const start = this.lineStarts[line];
    const end = this.lineEnds[line];
    if (start === undefined || end === undefined) throw invalidRangeError(`there is no line ${line}`);
    return [start, end];
  }

  private lineAt(offset: number): number {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function checkOffset(text: string, offset: number): void {
  if (!Number.isInteger(offset) || offset < 0 || offset > text.length) {
    throw invalidRangeError(`offset ${offset} is not in the text (${text.length} UTF-16 units)`);
  }
  if (splitsSurrogatePair(text, offset)) throw invalidRangeError(`offset ${offset} is inside a character`);
}

function utf16Width(text: string, offset: number): number {
  return splitsSurrogatePair(text, offset + 1) ? 2 : 1;
}

function utf8Width(text: string, offset: number): number {
  const unit = text.charCodeAt(offset);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return utf16Width(text, offset) === 2 ? 4 : 3;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function invalidRangeError(why: string): EditorError {
  return new EditorError('invalidRange', `The range does not fit the text: ${why}. Read the file again.`);
}
