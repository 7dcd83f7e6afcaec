/** A UTF-8 text in memory that workers read without copying. */
interface SharedText {
  readonly memory: SharedArrayBuffer;
  /** Length of the text in bytes. The memory may be larger. */
  readonly size: number;
  /** UTF-16 units. */
  readonly length: number;
}

export function readShared({ memory, size, length }: SharedText): string {
  // As many bytes as UTF-16 units means ASCII, which decodes much faster as Latin-1.
  return Buffer.from(memory, 0, size).toString(size === length ? 'latin1' : 'utf8');
}

/** Writes a text once for all workers that read it. Reuses the memory, since clearing new memory is slow. */
export class TextSharer {
  private current: { readonly content: string; readonly text: SharedText; readers: number } | undefined;
  private free: SharedArrayBuffer | undefined;

  /** Call `release` once for each call. A lone surrogate becomes U+FFFD, which has the same length. */
  share(content: string): SharedText {
    if (this.current?.content !== content) {
      const text = (this.free && write(content, this.free)) ?? writeNew(content);
      this.current = { content, text, readers: 0 };
      this.free = undefined;
    }
    this.current.readers++;
    return this.current.text;
  }

  /** Call this when the text was read or its reader has ended. */
  release(text: SharedText): void {
    if (this.current?.text !== text || --this.current.readers > 0) return;
    this.current = undefined;
    this.free = text.memory;
  }
}

/** Returns undefined if the memory may be too small. */
function write(content: string, memory: SharedArrayBuffer): SharedText | undefined {
  const size = Buffer.from(memory).write(content);
  // A character has at most four bytes, so a larger gap means that none was cut off.
  return memory.byteLength - size < 4 ? undefined : { memory, size, length: content.length };
}

function writeNew(content: string): SharedText {
  const size = Buffer.byteLength(content);
  // Leaves room for a growing text.
  const memory = new SharedArrayBuffer(Math.ceil(size * 1.25) + 4);
  Buffer.from(memory).write(content);
  return { memory, size, length: content.length };
}
