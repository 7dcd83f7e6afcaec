const firstBytes = 1024 * 1024;

/** Bytes that are written one after another. It keeps its memory when it is cleared, for the next ones. */
export class Arena {
  private memory = Buffer.allocUnsafeSlow(firstBytes);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** What was written; only until more is. */
  get content(): Buffer {
    return this.memory.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
  }

  /** Makes room for so many bytes and returns them, whatever is in them; only until more is written. */
  take(bytes: number): Buffer {
    this.makeRoom(bytes);
    const start = this.used;
    this.used += bytes;
    return this.memory.subarray(start, this.used);
  }

  add(bytes: Buffer): void {
    bytes.copy(this.take(bytes.length));
  }

  /** Its UTF-8; only until more is written. */
  addText(text: string): Buffer {
    this.makeRoom(text.length * 3);
    const start = this.used;
    this.used += this.memory.write(text, start, 'utf8');
    return this.memory.subarray(start, this.used);
  }

  /** Of what was written. */
  writeUInt32(value: number, at: number): void {
    this.memory.writeUInt32LE(value, at);
  }

  private makeRoom(bytes: number): void {
    const needed = this.used + bytes;
    if (needed <= this.memory.length) return;
    const more = Buffer.allocUnsafeSlow(Math.max(needed, this.memory.length * 2));
    this.memory.copy(more, 0, 0, this.used);
    this.memory = more;
  }
}
