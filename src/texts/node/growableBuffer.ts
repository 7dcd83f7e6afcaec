const initialBytes = 1024 * 1024;

/** A buffer that grows as bytes are appended. It keeps its memory when it is cleared. */
export class GrowableBuffer {
  private memory = Buffer.allocUnsafeSlow(initialBytes);
  private usedBytes = 0;

  get length(): number {
    return this.usedBytes;
  }

  /** A view of the appended bytes, valid until the next append. */
  get content(): Buffer {
    return this.memory.subarray(0, this.usedBytes);
  }

  clear(): void {
    this.usedBytes = 0;
  }

  /** Appends uninitialized bytes and returns a view of them, which is valid until the next append. */
  reserve(byteCount: number): Buffer {
    this.ensureCapacity(byteCount);
    const start = this.usedBytes;
    this.usedBytes += byteCount;
    return this.memory.subarray(start, this.usedBytes);
  }

  append(bytes: Buffer): void {
    bytes.copy(this.reserve(bytes.length));
  }

  /** Appends text as UTF-8 and returns a view of its bytes, which is valid until the next append. */
  appendText(text: string): Buffer {
    this.ensureCapacity(text.length * 3);
    const start = this.usedBytes;
    this.usedBytes += this.memory.write(text, start, 'utf8');
    return this.memory.subarray(start, this.usedBytes);
  }

  writeUInt32(value: number, offset: number): void {
    this.memory.writeUInt32LE(value, offset);
  }

  private ensureCapacity(extraByteCount: number): void {
    const needed = this.usedBytes + extraByteCount;
    if (needed <= this.memory.length) return;
    const more = Buffer.allocUnsafeSlow(Math.max(needed, this.memory.length * 2));
    this.memory.copy(more, 0, 0, this.usedBytes);
    this.memory = more;
  }
}
