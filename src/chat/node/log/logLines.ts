/** Maximum length of a line, in bytes. Longer lines are skipped. */
const maxLineBytes = 64 * 1024 * 1024;
/** Lines up to this length are copied, so that they do not keep the chunk in memory in which they were read. */
const maxCopiedBytes = 128 * 1024;
const decoder = new TextDecoder();

/** Number of bytes at the start of a line that contain the type of its record. */
export const recordTypeBytes = 64;

/** One line of a log, as its bytes: most of a large log can be skipped without decoding it. */
export interface LogLine {
  /** Length in bytes, without the line feed. */
  readonly size: number;
  /** Offset after the line feed, in bytes. */
  readonly endOffset: number;
  /** Whether the line ends with a line feed. False for the text after the last one. */
  readonly isWhole: boolean;
  /** The first bytes of the line, as Latin-1. */
  start(bytes: number): string;
  /** The last bytes of the line, as Latin-1. */
  end(bytes: number): string;
  /** The decoded line. Empty if it is too long. */
  text(): string;
}

class ByteLine implements LogLine {
  constructor(
    private readonly parts: readonly Uint8Array[],
    readonly size: number,
    readonly endOffset: number,
    readonly isWhole: boolean,
  ) {}

  start(bytes: number): string {
    return Buffer.concat(this.parts, Math.min(bytes, this.keptBytes)).toString('latin1');
  }

  end(bytes: number): string {
    let joined = Buffer.alloc(0);
    for (let at = this.parts.length - 1; at >= 0 && joined.length < bytes; at--) {
      const part = this.parts[at];
      if (part) joined = Buffer.concat([part.subarray(-bytes), joined]);
    }
    return joined.subarray(-bytes).toString('latin1');
  }

  text(): string {
    const [only] = this.parts;
    return decoder.decode(this.parts.length === 1 && only ? only : Buffer.concat(this.parts));
  }

  private get keptBytes(): number {
    return this.parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Splits a file into lines. */
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
  const take = (endOffset: number, isWhole: boolean): LogLine => {
    const kept = size <= maxCopiedBytes ? [Buffer.concat(parts)] : parts;
    const line = new ByteLine(kept, size, endOffset, isWhole);
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
      yield take(offset + start, true);
    }
    if (start < chunk.length) add(chunk.subarray(start));
    offset += chunk.length;
  }
  if (size > 0) yield take(offset, false);
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
}
