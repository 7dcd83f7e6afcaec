/** A line above the limit, of which only the beginning was kept. */
export interface OverlongLine {
  readonly excerpt: string;
  /** Length when the limit was exceeded; the line may be longer. */
  readonly bytes: number;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const excerptBytes = 200;

/**
 * Splits UTF-8 bytes into lines that end in LF or CRLF. Push chunks, then read until no line is left. Examines each byte
 * once and copies it at most once, so the cost is linear for lines of any length.
 */
export class LineDecoder {
  private readonly text = new TextDecoder();
  private readonly chunks: Uint8Array[] = [];
  /** Offset of the next unread byte in the first chunk. */
  private offset = 0;
  /** Beginning of the current line, from earlier chunks. */
  private parts: Uint8Array[] = [];
  private partBytes = 0;
  private skipping = false;
  private ended = false;

  constructor(private readonly maxLineBytes: number) {}

  /** Keeps a reference to the chunk, so the caller must not modify it. */
  push(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }

  /** Call after the last chunk. Remaining bytes are the last line. */
  end(): void {
    this.ended = true;
  }

  /** Returns the next line without its ending, or `undefined` if it is incomplete. */
  read(): string | OverlongLine | undefined {
    for (let chunk = this.chunks[0]; chunk; chunk = this.chunks[0]) {
      const end = chunk.indexOf(newline, this.offset);
      const rest = chunk.subarray(this.offset, end < 0 ? chunk.length : end);
      if (end < 0) {
        this.chunks.shift();
        this.offset = 0;
      } else {
        this.offset = end + 1;
      }
      const line = end < 0 ? this.keep(rest) : this.finish(rest);
      if (line !== undefined) return line;
    }
    return this.ended && this.partBytes > 0 ? this.finish(new Uint8Array()) : undefined;
  }

  private keep(part: Uint8Array): OverlongLine | undefined {
    if (this.skipping || part.length === 0) return undefined;
    this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes <= this.maxLineBytes) return undefined;
    this.skipping = true;
    return this.giveUp();
  }

  private finish(last: Uint8Array): string | OverlongLine | undefined {
    if (this.skipping) {
      this.skipping = false;
      return undefined;
    }
    if (this.partBytes + last.length > this.maxLineBytes) {
      this.parts.push(last);
      this.partBytes += last.length;
      return this.giveUp();
    }
    const bytes = this.partBytes === 0 ? last : this.join(last);
    return this.text.decode(bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes);
  }

  private giveUp(): OverlongLine {
    const bytes = this.partBytes;
    // May split a character, which is acceptable in a log.
    const excerpt = this.text.decode(this.join(new Uint8Array()).subarray(0, excerptBytes));
    return { excerpt, bytes };
  }

  private join(last: Uint8Array): Uint8Array {
    const whole = new Uint8Array(this.partBytes + last.length);
    let offset = 0;
    for (const part of [...this.parts, last]) {
      whole.set(part, offset);
      offset += part.length;
    }
    this.parts = [];
    this.partBytes = 0;
    return whole;
  }
}
