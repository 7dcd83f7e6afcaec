import { fieldOf, threadOf, type WordLists } from './wordTable';

const lineEnd = 0x0a;
const shortUnits = 3;

/** Finds a word, or all that begin with it, among the words of a segment. */
export class WordLookup {
  private readonly needle: Buffer;
  /** What is sought begins with the line end before the word. */
  private readonly isLed: boolean;

  /** `line` is a word, with a line end unless it may go on. */
  constructor(private readonly line: string) {
    // The search looks for the first byte, and every seventh is a line end; but short words are inside of many others.
    this.isLed = line.length <= shortUnits;
    this.needle = Buffer.from(this.isLed ? `\n${line}` : line);
  }

  /** For each of so many threads: 1 plus the number of the best field that has it; 0 when it is not there. */
  bestFields(lists: WordLists, threads: number): Uint8Array {
    const best = new Uint8Array(threads);
    const isWhole = this.line.endsWith('\n');
    let word = 0;
    for (let at = this.indexIn(lists.words, 0); at >= 0; at = this.indexIn(lists.words, at + 1)) {
      word = wordAt(lists.wordStarts, at, word);
      for (let index = lists.postingStarts[word] ?? 0; index < (lists.postingStarts[word + 1] ?? 0); index++) {
        const posting = lists.postings[index] ?? 0;
        const thread = threadOf(posting);
        const known = best[thread] ?? 0;
        const field = fieldOf(posting) + 1;
        if (known === 0 || field < known) best[thread] = field;
      }
      if (isWhole) break;
    }
    return best;
  }

  /** Where a line with it starts, at or after `from`; -1 when there is none. */
  private indexIn(words: Buffer, from: number): number {
    if (this.isLed) {
      const at = words.indexOf(this.needle, Math.max(0, from - 1));
      return at < 0 ? -1 : at + 1;
    }
    let at = words.indexOf(this.needle, from);
    while (at >= 0 && words[at - 1] !== lineEnd) at = words.indexOf(this.needle, at + 1);
    return at;
  }
}

/** The number of the word that starts at `at`; not before `from`. */
function wordAt(wordStarts: Uint32Array, at: number, from: number): number {
  let low = from;
  let high = wordStarts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((wordStarts[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
