/** Keeps the last `maxBytes` of a byte stream. */
export class ByteTail {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private dropped = false;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    // Trims only at 1.5 times the limit, so that most pushes copy nothing.
    if (this.bytes > this.maxBytes * 1.5) this.trim();
  }

  /** Decodes as UTF-8, skipping a character cut at the start. */
  toString(): string {
    this.trim();
    const [kept = Buffer.alloc(0)] = this.chunks;
    const isContinuation = (index: number): boolean => ((kept[index] ?? 0) & 0xc0) === 0x80;
    let start = 0;
    while (this.dropped && start < 3 && isContinuation(start)) start++;
    return kept.toString('utf8', start);
  }

  private trim(): void {
    const whole = Buffer.concat(this.chunks);
    const excess = Math.max(0, whole.length - this.maxBytes);
    this.dropped ||= excess > 0;
    this.chunks = [excess > 0 ? Buffer.from(whole.subarray(excess)) : whole];
    this.bytes = whole.length - excess;
  }
}
