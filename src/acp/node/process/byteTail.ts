/** Keeps the last `maxBytes` of a byte stream. */
export class ByteTail {
  private chunks: Buffer[] = [];
  private byteCount = 0;
  private hasDroppedBytes = false;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.byteCount += chunk.length;
    // Data is only removed at 1.5 times the limit, so that most calls copy nothing.
    if (this.byteCount > this.maxBytes * 1.5) this.trim();
  }

  /** Decodes the bytes as UTF-8. Skips a character that was cut at the start. */
  toString(): string {
    this.trim();
    const [kept = Buffer.alloc(0)] = this.chunks;
    const isContinuation = (index: number): boolean => ((kept[index] ?? 0) & 0xc0) === 0x80;
    let start = 0;
    while (this.hasDroppedBytes && start < 3 && isContinuation(start)) start++;
    return kept.toString('utf8', start);
  }

  private trim(): void {
    const whole = Buffer.concat(this.chunks);
    const excess = Math.max(0, whole.length - this.maxBytes);
    this.hasDroppedBytes ||= excess > 0;
    this.chunks = [excess > 0 ? Buffer.from(whole.subarray(excess)) : whole];
    this.byteCount = whole.length - excess;
  }
}
