import { fieldIndexOf, documentIndexOf, type WordIndex } from './wordTable';

const newline = 0x0a;
const shortUnits = 3;

/** Finds a word in a segment, or all words that begin with it. */
export class WordLookup {
  private readonly searchBytes: Buffer;
  /** Whether the bytes to find include the newline before the word. */
  private readonly includesLeadingNewline: boolean;

  /** `wordLine` is a complete word that ends with a newline, or a prefix without a newline. */
  constructor(private readonly wordLine: string) {
    // The newline is frequent, so searching for it is slow. It is only included for short words, because these occur
    // inside many other words.
    this.includesLeadingNewline = wordLine.length <= shortUnits;
    this.searchBytes = Buffer.from(this.includesLeadingNewline ? `\n${wordLine}` : wordLine);
  }

  /** Returns for each document 1 + the index of the best field with the word, or 0 without the word. */
  bestFieldByDocument(wordIndex: WordIndex, documentCount: number): Uint8Array {
    const best = new Uint8Array(documentCount);
    const isWhole = this.wordLine.endsWith('\n');
    let word = 0;
    for (let at = this.findLine(wordIndex.words, 0); at >= 0; at = this.findLine(wordIndex.words, at + 1)) {
      word = wordAt(wordIndex.wordStarts, at, word);
      for (let index = wordIndex.postingStarts[word] ?? 0; index < (wordIndex.postingStarts[word + 1] ?? 0); index++) {
        const posting = wordIndex.postings[index] ?? 0;
        const document = documentIndexOf(posting);
        const known = best[document] ?? 0;
        const field = fieldIndexOf(posting) + 1;
        if (known === 0 || field < known) best[document] = field;
      }
      if (isWhole) break;
    }
    return best;
  }

  /** Returns the offset of the next match at or after `from`, or -1. */
  private findLine(words: Buffer, from: number): number {
    if (this.includesLeadingNewline) {
      const at = words.indexOf(this.searchBytes, Math.max(0, from - 1));
      return at < 0 ? -1 : at + 1;
    }
    let at = words.indexOf(this.searchBytes, from);
    while (at >= 0 && words[at - 1] !== newline) at = words.indexOf(this.searchBytes, at + 1);
    return at;
  }
}

/** Returns the index of the word that starts at `offset`. The search begins at index `from`. */
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
