/** Keeps the last `maxLength` UTF-16 units of a text that grows in pieces. */
export class TextTail {
  private pieces: string[] = [];
  private length = 0;

  constructor(private readonly maxLength: number) {}

  push(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
    // Text is only removed at twice the limit, so that most calls copy nothing.
    if (this.length > 2 * this.maxLength) this.trim();
  }

  toString(): string {
    return this.trim();
  }

  private trim(): string {
    const kept = this.pieces.join('').slice(-this.maxLength);
    this.pieces = [kept];
    this.length = kept.length;
    return kept;
  }
}
