/** A UTF-8 text in memory that workers can read without copying it. */
export interface SharedText {
  /** Identifies the text in a worker, where each message contains its own copy of this object. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** Length of the text in bytes. The memory may be longer. */
  readonly byteLength: number;
  /** Length of the text in UTF-16 units. */
  readonly length: number;
}

export function readSharedText({ memory, byteLength, length }: SharedText): string {
  // If the text has as many bytes as UTF-16 units, it is ASCII, which can be decoded much faster as Latin-1.
  return Buffer.from(memory, 0, byteLength).toString(byteLength === length ? 'latin1' : 'utf8');
}

/** Writes a text once for all workers that read it. Reuses memory, because clearing new memory is slow. */
export class TextSharer {
  private currentText: { readonly content: string; readonly text: SharedText; readers: number } | undefined;
  private reusableMemory: SharedArrayBuffer | undefined;
  private lastId = 0;

  /** Returns the shared text. Call `release` once per call. A lone surrogate becomes U+FFFD, of the same length. */
  share(content: string): SharedText {
    if (this.currentText?.content !== content) {
      const written = (this.reusableMemory && writeText(content, this.reusableMemory)) ?? allocateText(content);
      this.currentText = { content, text: { id: ++this.lastId, ...written }, readers: 0 };
      this.reusableMemory = undefined;
    }
    this.currentText.readers++;
    return this.currentText.text;
  }

  /** Call when the text was read or its reader has ended. */
  release(text: SharedText): void {
    if (this.currentText?.text !== text || --this.currentText.readers > 0) return;
    this.currentText = undefined;
    this.reusableMemory = text.memory;
  }
}

type WrittenText = Omit<SharedText, 'id'>;

/** Writes a text into memory. Returns undefined if the memory may be too small. */
function writeText(content: string, memory: SharedArrayBuffer): WrittenText | undefined {
  const byteLength = Buffer.from(memory).write(content);
  // A character has at most four bytes. If at least four bytes are unused, the text is complete.
  return memory.byteLength - byteLength < 4 ? undefined : { memory, byteLength, length: content.length };
}

function allocateText(content: string): WrittenText {
  const byteLength = Buffer.byteLength(content);
  // The memory is larger than needed, because texts grow while the user types.
  const memory = new SharedArrayBuffer(Math.ceil(byteLength * 1.25) + 4);
  Buffer.from(memory).write(content);
  return { memory, byteLength, length: content.length };
}
