const lineEnd = 0x0a;
const shortUnits = 3;

/** Finds a line, or the beginning of one, in a list of words with a line end on both sides of each. */
export class WordSearch {
  private readonly needle: Buffer;
  /** What is sought begins with the line end before the word. */
  private readonly isLed: boolean;

  /** `line` is a word, with a line end unless it may go on. */
  constructor(line: string) {
    // The search looks for the first byte, and every seventh is a line end; but short words are inside of many others.
    this.isLed = line.length <= shortUnits;
    this.needle = Buffer.from(this.isLed ? `\n${line}` : line);
  }

  /** Where a line with it starts, at or after `from`; -1 when there is none. */
  indexIn(words: Buffer, from = 0): number {
    let at = words.indexOf(this.needle, from);
    if (this.isLed) return at;
    while (at >= 0 && words[at - 1] !== lineEnd) at = words.indexOf(this.needle, at + 1);
    return at;
  }
}
