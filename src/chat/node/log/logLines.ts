/** Maximum length of a line, in bytes. Longer lines are skipped. */
const maxLineBytes = 64 * 1024 * 1024;
/** Lines up to this length are copied, so that they do not keep the chunk in memory in which they were read. */
const maxCopiedBytes = 128 * 1024;
const decoder = new TextDecoder();

/** Number of bytes at the start of a line that contain the type of its record. */
export const recordTypeBytes = 64;
/** Bytes at the start of a line that contain all members before the content of a call. */
const startBytes = 2048;
const endBytes = 256;

/** One line of a log, as its bytes: most of a large log can be skipped without decoding it. */
export interface LogLine {
  /** Length in bytes, without the line feed. */
  readonly size: number;
  /** Offset after the line feed, in bytes. */
  readonly endOffset: number;
  /** The first bytes of the line, as Latin-1. */
  start(bytes: number): string;
  /** The decoded line. Empty if it is too long. */
  text(): string;
}

class ByteLine implements LogLine {
  constructor(
    private readonly parts: readonly Uint8Array[],
    readonly size: number,
    readonly endOffset: number,
  ) {}

  start(bytes: number): string {
    return Buffer.concat(this.parts, Math.min(bytes, this.keptBytes)).toString('latin1');
  }

  text(): string {
    const [only] = this.parts;
    return decoder.decode(this.parts.length === 1 && only ? only : Buffer.concat(this.parts));
  }

  private get keptBytes(): number {
    return this.parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Splits a file into lines. The last one may be incomplete. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogLine, void, undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let offset = 0;
  const add = (bytes: Uint8Array): void => {
    // Where a file was extended beyond its end, it has zeros, which JSON never has.
    const part = size === 0 ? withoutZeros(bytes) : bytes;
    size += part.length;
    if (size > maxLineBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (endOffset: number): LogLine => {
    const kept = size <= maxCopiedBytes ? [Buffer.concat(parts)] : parts;
    const line = new ByteLine(kept, size, endOffset);
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const feed = chunk.indexOf(10, start);
      if (feed === -1) break;
      add(chunk.subarray(start, feed));
      start = feed + 1;
      yield take(offset + start);
    }
    if (start < chunk.length) add(chunk.subarray(start));
    offset += chunk.length;
  }
  if (size > 0) yield take(offset);
}

/** Where a complete line is in a file, in bytes, and both of its ends as Latin-1. */
export interface LineOutline {
  /** Up to 2,048 bytes. */
  readonly start: string;
  /** Up to 256 bytes. */
  readonly end: string;
  readonly offset: number;
  /** Offset after the line feed. */
  readonly endOffset: number;
}

/** Finds the complete lines of a file. Keeps no chunk, so that all can be read into the same memory. */
export async function* readOutlines(
  chunks: AsyncIterable<Uint8Array>,
  firstOffset: number,
): AsyncGenerator<LineOutline | 'torn', void, undefined> {
  let start = '';
  let end = '';
  let lineOffset = firstOffset;
  let chunkOffset = firstOffset;
  const add = (bytes: Uint8Array): void => {
    const part = start === '' ? withoutZeros(bytes) : bytes;
    if (start.length < startBytes) start += latin1(part.subarray(0, startBytes - start.length));
    const last = latin1(part.subarray(-endBytes));
    end = last.length === endBytes ? last : (end + last).slice(-endBytes);
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, feed));
      from = feed + 1;
      yield { start, end, offset: lineOffset, endOffset: chunkOffset + from };
      start = '';
      end = '';
      lineOffset = chunkOffset + from;
    }
    add(chunk.subarray(from));
    chunkOffset += chunk.length;
  }
  if (start !== '') yield 'torn';
}

function latin1({ buffer, byteLength, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
}
