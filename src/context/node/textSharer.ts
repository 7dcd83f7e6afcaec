/** A UTF-8 text in memory that workers can read without copying it. */
export interface SharedText {
  readonly memory: SharedArrayBuffer;
  /** Length of the text in bytes. The memory may be longer. */
  readonly byteLength: number;
  /** Length of the text in UTF-16 units. */
  readonly length: number;
}

/**
 * Node.js stores texts with more bytes than this outside the JavaScript heap. A smaller text of more than 128 KiB
 * gets its own heap pages, which the system must clear first. That takes three times as long as copying a larger text.
 */
const outsideBytes = 1_031_914;
const ownPagesBytes = 128 * 1024;

export function readSharedText({ memory, byteLength, length }: SharedText): string {
  // If the text has as many bytes as UTF-16 units, it is ASCII, which can be decoded much faster as Latin-1.
  if (byteLength !== length) return Buffer.from(memory, 0, byteLength).toString('utf8');
  if (byteLength < ownPagesBytes || memory.byteLength < outsideBytes)
    return Buffer.from(memory, 0, byteLength).toString('latin1');
  return Buffer.from(memory, 0, Math.max(byteLength, outsideBytes)).toString('latin1').slice(0, byteLength);
}

/** Writes a text once for all workers that read it. Reuses memory, because clearing new memory is slow. */
export class TextSharer {
  private currentText: { readonly content: string; readonly text: SharedText; readers: number } | undefined;
  private reusableMemory: SharedArrayBuffer | undefined;

  /** Returns the shared text. Call `release` once per call. A lone surrogate becomes U+FFFD, of the same length. */
  share(content: string): SharedText {
    if (this.currentText?.content !== content) {
      const text = (this.reusableMemory && writeText(content, this.reusableMemory)) ?? allocateText(content);
      this.currentText = { content, text, readers: 0 };
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

/** Writes a text into memory. Returns undefined if the memory may be too small. */
function writeText(content: string, memory: SharedArrayBuffer): SharedText | undefined {
  const byteLength = Buffer.from(memory).write(content);
  // A character has at most four bytes. If at least four bytes are unused, the text is complete.
  return memory.byteLength - byteLength < 4 ? undefined : { memory, byteLength, length: content.length };
}

function allocateText(content: string): SharedText {
  const byteLength = Buffer.byteLength(content);
  // The memory is larger than needed, because texts grow while the user types.
  const memory = new SharedArrayBuffer(memorySize(byteLength));
  Buffer.from(memory).write(content);
  return { memory, byteLength, length: content.length };
}

function memorySize(byteLength: number): number {
  const bytes = Math.ceil(byteLength * 1.25) + 4;
  return byteLength < ownPagesBytes ? bytes : Math.max(bytes, outsideBytes);
}
