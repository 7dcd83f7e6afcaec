/** A line that exceeds the size limit. Only its beginning was kept. */
export interface OverlongLine {
  readonly excerpt: string;
  /** Number of bytes read when the limit was exceeded. The line may be longer. */
  readonly bytes: number;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const excerptBytes = 200;

/** Splits UTF-8 bytes into lines that end in LF or CRLF, in linear time for lines of any length. */
export class LineDecoder {
  private readonly textDecoder = new TextDecoder();
  private readonly chunks: Uint8Array[] = [];
  /** Offset of the next unread byte in the first chunk. */
  private firstChunkOffset = 0;
  /** Beginning of the current line, from earlier chunks. */
  private lineParts: Uint8Array[] = [];
  private lineByteCount = 0;
  private isSkippingLine = false;
  private hasEnded = false;

  constructor(private readonly maxLineBytes: number) {}

  /** Keeps a reference to the chunk, so the caller must not modify it. */
  addChunk(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }

  /** Call after the last chunk. Bytes that remain are the last line. */
  end(): void {
    this.hasEnded = true;
  }

  /** Returns the next line without its ending, or `undefined` if it is incomplete. */
  read(): string | OverlongLine | undefined {
    for (let chunk = this.chunks[0]; chunk; chunk = this.chunks[0]) {
      const end = chunk.indexOf(newline, this.firstChunkOffset);
      const rest = chunk.subarray(this.firstChunkOffset, end < 0 ? chunk.length : end);
      if (end < 0) {
        this.chunks.shift();
        this.firstChunkOffset = 0;
      } else {
        this.firstChunkOffset = end + 1;
      }
      const line = end < 0 ? this.keepPart(rest) : this.finishLine(rest);
      if (line !== undefined) return line;
    }
    return this.hasEnded && this.lineByteCount > 0 ? this.finishLine(new Uint8Array()) : undefined;
  }

  private keepPart(part: Uint8Array): OverlongLine | undefined {
    if (this.isSkippingLine || part.length === 0) return undefined;
    this.lineParts.push(part);
    this.lineByteCount += part.length;
    if (this.lineByteCount <= this.maxLineBytes) return undefined;
    this.isSkippingLine = true;
    return this.takeOverlongLine();
  }

  private finishLine(lastPart: Uint8Array): string | OverlongLine | undefined {
    if (this.isSkippingLine) {
      this.isSkippingLine = false;
      return undefined;
    }
    if (this.lineByteCount + lastPart.length > this.maxLineBytes) {
      this.lineParts.push(lastPart);
      this.lineByteCount += lastPart.length;
      return this.takeOverlongLine();
    }
    const bytes = this.lineByteCount === 0 ? lastPart : this.joinParts(lastPart);
    return this.textDecoder.decode(bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes);
  }

  private takeOverlongLine(): OverlongLine {
    const bytes = this.lineByteCount;
    // This may cut a multi-byte character, which is acceptable in a log.
    const excerpt = this.textDecoder.decode(this.joinParts(new Uint8Array()).subarray(0, excerptBytes));
    return { excerpt, bytes };
  }

  private joinParts(lastPart: Uint8Array): Uint8Array {
    const whole = new Uint8Array(this.lineByteCount + lastPart.length);
    let offset = 0;
    for (const part of [...this.lineParts, lastPart]) {
      whole.set(part, offset);
      offset += part.length;
    }
    this.lineParts = [];
    this.lineByteCount = 0;
    return whole;
  }
}
