import type { ItemsParams } from '../common/contextProvider';

/** What `TextSharer` wrote. */
export function readShared(text: SharedArrayBuffer, length: number): string {
  // As many bytes as letters: it is ASCII, which is read much faster as what it is.
  return Buffer.from(text).toString(text.byteLength === length ? 'latin1' : 'utf8');
}

/** Writes the text of a document version once, for all workers that are asked about it. */
export class TextSharer {
  private last: { readonly uri: string; readonly version: number; readonly text: SharedArrayBuffer } | undefined;

  /** UTF-8; a lone surrogate becomes U+FFFD, which is as long. */
  share({ uri, version, content }: ItemsParams): SharedArrayBuffer {
    if (this.last?.uri === uri && this.last.version === version) return this.last.text;
    const text = new SharedArrayBuffer(Buffer.byteLength(content));
    Buffer.from(text).write(content);
    this.last = { uri, version, text };
    return text;
  }
}
