import { fieldIndexOf, threadIndexOf, type WordIndex } from './wordTable';

const newline = 0x0a;
const shortUnits = 3;

/** Finds a word, or all words that begin with it, in a segment. */
export class WordLookup {
  private readonly searchBytes: Buffer;
  /** Whether the needle begins with the newline before the word. */
  private readonly hasNewline: boolean;

  /** `line` is a complete word with a newline, or a prefix without one. */
  constructor(private readonly wordLine: string) {
    // A leading newline slows the byte search down, because it is a frequent byte, but short words occur in many others.
    this.hasNewline = wordLine.length <= shortUnits;
    this.searchBytes = Buffer.from(this.hasNewline ? `\n${wordLine}` : wordLine);
  }

  /** Returns for each thread 1 + the index of the best field with the word, or 0 when the thread does not have it. */
  bestFieldByThread(wordIndex: WordIndex, threadCount: number): Uint8Array {
    const best = new Uint8Array(threadCount);
    const isWhole = this.wordLine.endsWith('\n');
    let word = 0;
    for (let at = this.findLine(wordIndex.words, 0); at >= 0; at = this.findLine(wordIndex.words, at + 1)) {
      word = wordAt(wordIndex.wordStarts, at, word);
      for (let index = wordIndex.postingStarts[word] ?? 0; index < (wordIndex.postingStarts[word + 1] ?? 0); index++) {
        const posting = wordIndex.postings[index] ?? 0;
        const thread = threadIndexOf(posting);
        const known = best[thread] ?? 0;
        const field = fieldIndexOf(posting) + 1;
        if (known === 0 || field < known) best[thread] = field;
      }
      if (isWhole) break;
    }
    return best;
  }

  /** Returns the offset of the next match at or after `from`, or -1. */
  private findLine(words: Buffer, from: number): number {
    if (this.hasNewline) {
      const at = words.indexOf(this.searchBytes, Math.max(0, from - 1));
      return at < 0 ? -1 : at + 1;
    }
    let at = words.indexOf(this.searchBytes, from);
    while (at >= 0 && words[at - 1] !== newline) at = words.indexOf(this.searchBytes, at + 1);
    return at;
  }
}

/** Returns the index of the word that starts at `offset`, which must be `from` or later. */
function wordAt(wordStarts: Uint32Array, offset: number, from: number): number {
  let low = from;
  let high = wordStarts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((wordStarts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
