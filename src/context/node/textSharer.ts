/** A text on its way to workers: UTF-8, in memory that they read without a copy being sent. */
interface SharedText {
  readonly memory: SharedArrayBuffer;
  /** Bytes of the text; what is behind them in the memory means nothing. */
  readonly size: number;
  /** UTF-16 units. */
  readonly length: number;
}

export function readShared({ memory, size, length }: SharedText): string {
  // As many bytes as letters: it is ASCII, which is read much faster as what it is.
  return Buffer.from(memory, 0, size).toString(size === length ? 'latin1' : 'utf8');
}

/**
 * Writes a text once for all workers that read it at the same time. The memory is used again for the next text when nobody
 * reads it any more: it takes the system longer to clear new memory than it takes to write the text.
 */
export class TextSharer {
  private current: { readonly content: string; readonly text: SharedText; readers: number } | undefined;
  private free: SharedArrayBuffer | undefined;

  /** A lone surrogate becomes U+FFFD, which is as long. To be given back by `release`, once for each call. */
  share(content: string): SharedText {
    if (this.current?.content !== content) {
      const text = (this.free && write(content, this.free)) ?? writeNew(content);
      this.current = { content, text, readers: 0 };
      this.free = undefined;
    }
    this.current.readers++;
    return this.current.text;
  }

  /** It was read, or whoever was to read it has ended. */
  release(text: SharedText): void {
    if (this.current?.text !== text || --this.current.readers > 0) return;
    this.current = undefined;
    this.free = text.memory;
  }
}

/** Undefined when there may not be room for all of it. */
function write(content: string, memory: SharedArrayBuffer): SharedText | undefined {
  const size = Buffer.from(memory).write(content);
  // A letter has at most four bytes.
  return memory.byteLength - size < 4 ? undefined : { memory, size, length: content.length };
}

function writeNew(content: string): SharedText {
  const size = Buffer.byteLength(content);
  // Some room for what is typed.
  const memory = new SharedArrayBuffer(Math.ceil(size * 1.25) + 4);
  Buffer.from(memory).write(content);
  return { memory, size, length: content.length };
}
