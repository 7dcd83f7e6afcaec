import { copyWordInLowerCase, hashWord, type WordScanner } from './wordScanner';

/** The fields of a document that may contain a word. The best field comes first. */
export const wordFields = ['title', 'prompt', 'answer', 'work'] as const;
const fieldBits = 2;
const fieldMask = (1 << fieldBits) - 1;
const newline = 0x0a;
const recentMask = (1 << 13) - 1;

/** The words of a segment and the documents that contain them. */
export interface WordIndex {
  /** All words, with a newline before and after each. */
  readonly words: Buffer;
  /** The offset of each word in `words`, followed by the length of `words`. */
  readonly wordStarts: Uint32Array;
  /** The index of each word's first posting, followed by the number of postings. */
  readonly postingStarts: Uint32Array;
  /** One number for each document that contains a word: the index of the document, with the field in the lowest bits. */
  readonly postings: Uint32Array;
}

export function documentIndexOf(posting: number): number {
  return posting >>> fieldBits;
}

/** Returns the index of a posting's field in `wordFields`. */
export function fieldIndexOf(posting: number): number {
  return posting & fieldMask;
}

/** Collects the words of documents, one document after another. The words of its best field must come first. */
export class WordTable {
  private words = Buffer.alloc(1 << 16);
  private wordsLength = 1;
  private wordCount = 0;
  private wordStarts = new Uint32Array(1 << 12);
  private postingCounts = new Uint32Array(1 << 12);
  /**
   * A hash table with open addressing. Each word has four adjacent numbers: its two hashes, its index + 1, and 1 + the
   * index of the last document that contains the word.
   */
  private slots = new Int32Array(1 << 16);
  private slotMask = (1 << 14) - 1;
  private postingWords = new Uint32Array(1 << 14);
  private postings = new Uint32Array(1 << 14);
  private postingCount = 0;
  /** A cache of the words that were added last, because most words repeat. Stores two hashes per word. */
  private readonly recentHashes = new Int32Array((recentMask + 1) * 2);
  /** Indexes of the scanned words that are not in the cache. They may already be in the table. */
  private uncachedWordIndexes = new Uint32Array(1 << 12);
  /** Stored only to prevent the JavaScript engine from removing the reads of `prefetchSlots`. */
  protected unusedPrefetchResult = 0;
  private cachedDocument = -1;

  constructor() {
    this.words[0] = newline;
  }

  /** Approximate size on disk, in bytes. */
  get sizeBytes(): number {
    return this.wordsLength + this.wordCount * 8 + this.postingCount * 4;
  }

  /** Adds the words of a text. `field`: index in `wordFields`. Only a document's first field with a word counts. */
  addScannedWords(scan: WordScanner, document: number, field: number): void {
    const uncachedCount = this.findUncached(scan, document);
    this.prefetchSlots(scan, uncachedCount);
    const { firstHashes, secondHashes, starts, ends, bytes } = scan;
    const { uncachedWordIndexes } = this;
    for (let index = 0; index < uncachedCount; index++) {
      const word = uncachedWordIndexes[index] ?? 0;
      const [first, second] = [firstHashes[word] ?? 0, secondHashes[word] ?? 0];
      const slot = this.findOrAddSlot(first, second, bytes, starts[word] ?? 0, ends[word] ?? 0);
      this.addPosting(slot, document, field);
    }
  }

  /** Stores the words that were not added for this document recently in `uncachedWordIndexes`. Returns their number. */
  private findUncached({ count, firstHashes, secondHashes }: WordScanner, document: number): number {
    const { recentHashes } = this;
    if (this.cachedDocument !== document) {
      this.cachedDocument = document;
      recentHashes.fill(0);
    }
    if (this.uncachedWordIndexes.length < count) this.uncachedWordIndexes = new Uint32Array(count * 2);
    const { uncachedWordIndexes } = this;
    let uncachedCount = 0;
    for (let index = 0; index < count; index++) {
      const first = firstHashes[index] ?? 0;
      const second = secondHashes[index] ?? 0;
      const slot = ((first ^ (first >>> 16)) & recentMask) * 2;
      if (recentHashes[slot] === first && recentHashes[slot + 1] === second) continue;
      recentHashes[slot] = first;
      recentHashes[slot + 1] = second;
      uncachedWordIndexes[uncachedCount++] = index;
    }
    return uncachedCount;
  }

  /** Reads all slots in advance. The reads are independent, so the processor loads many in parallel. */
  private prefetchSlots({ firstHashes, secondHashes }: WordScanner, uncachedCount: number): void {
    const { uncachedWordIndexes, slots, slotMask } = this;
    let touched = 0;
    for (let index = 0; index < uncachedCount; index++) {
      const word = uncachedWordIndexes[index] ?? 0;
      touched ^= slots[(slotOf(firstHashes[word] ?? 0, secondHashes[word] ?? 0) & slotMask) * 4] ?? 0;
    }
    this.unusedPrefetchResult = touched;
  }

  /** Copies the words of documents. `newIndexOf` returns the new index of a document, or undefined if it is not copied. */
  copyFrom(wordIndex: WordIndex, newIndexOf: (document: number) => number | undefined): void {
    const { words, wordStarts, postingStarts, postings } = wordIndex;
    for (let word = 0; word + 1 < wordStarts.length; word++) {
      const start = wordStarts[word] ?? 0;
      const end = (wordStarts[word + 1] ?? 0) - 1;
      let slot: number | undefined;
      for (let index = postingStarts[word] ?? 0; index < (postingStarts[word + 1] ?? 0); index++) {
        const posting = postings[index] ?? 0;
        const document = newIndexOf(documentIndexOf(posting));
        if (document === undefined) continue;
        slot ??= this.findOrAddSlot(...hashWord(words.subarray(start, end)), words, start, end);
        this.addPosting(slot, document, fieldIndexOf(posting));
      }
    }
  }

  toWordIndex(): WordIndex {
    const wordStarts = new Uint32Array(this.wordCount + 1);
    wordStarts.set(this.wordStarts.subarray(0, this.wordCount));
    wordStarts[this.wordCount] = this.wordsLength;
    const postingStarts = new Uint32Array(this.wordCount + 1);
    for (let word = 0; word < this.wordCount; word++)
      postingStarts[word + 1] = (postingStarts[word] ?? 0) + (this.postingCounts[word] ?? 0);
    const next = postingStarts.slice();
    const postings = new Uint32Array(this.postingCount);
    for (let index = 0; index < this.postingCount; index++) {
      const word = this.postingWords[index] ?? 0;
      const at = next[word] ?? 0;
      postings[at] = this.postings[index] ?? 0;
      next[word] = at + 1;
    }
    return { words: this.words.subarray(0, this.wordsLength), wordStarts, postingStarts, postings };
  }

  private addPosting(slot: number, document: number, field: number): void {
    const { slots } = this;
    if (slots[slot + 3] === document + 1) return;
    slots[slot + 3] = document + 1;
    const word = (slots[slot + 2] ?? 0) - 1;
    this.postingCounts[word] = (this.postingCounts[word] ?? 0) + 1;
    if (this.postingCount === this.postings.length) {
      this.postings = grown(this.postings);
      this.postingWords = grown(this.postingWords);
    }
    this.postings[this.postingCount] = (document << fieldBits) | field;
    this.postingWords[this.postingCount++] = word;
  }

  /** Returns the word's offset in `slots`. Adds the word if it is new. */
  private findOrAddSlot(firstHash: number, secondHash: number, bytes: Uint8Array, start: number, end: number): number {
    const { slots, slotMask } = this;
    for (let at = slotOf(firstHash, secondHash) & slotMask; ; at = (at + 1) & slotMask) {
      const slot = at * 4;
      if (slots[slot + 2] === 0) return this.addWord(slot, firstHash, secondHash, bytes, start, end);
      if (slots[slot] === firstHash && slots[slot + 1] === secondHash) return slot;
    }
  }

  private addWord(
    slot: number,
    firstHash: number,
    secondHash: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    while (this.wordsLength + end - start + 1 > this.words.length)
      this.words = Buffer.concat([this.words], this.words.length * 2);
    if (this.wordCount === this.wordStarts.length) {
      this.wordStarts = grown(this.wordStarts);
      this.postingCounts = grown(this.postingCounts);
    }
    this.wordStarts[this.wordCount++] = this.wordsLength;
    this.slots[slot] = firstHash;
    this.slots[slot + 1] = secondHash;
    this.slots[slot + 2] = this.wordCount;
    this.wordsLength = copyWordInLowerCase(bytes, start, end, this.words, this.wordsLength);
    this.words[this.wordsLength++] = newline;
    if (this.wordCount * 3 <= this.slotMask * 2) return slot;
    this.rehash();
    return this.findOrAddSlot(firstHash, secondHash, bytes, start, end);
  }

  private rehash(): void {
    const before = this.slots;
    this.slots = new Int32Array(before.length * 2);
    this.slotMask = this.slots.length / 4 - 1;
    for (let from = 0; from < before.length; from += 4) {
      if (before[from + 2] === 0) continue;
      let at = slotOf(before[from] ?? 0, before[from + 1] ?? 0) & this.slotMask;
      while (this.slots[at * 4 + 2] !== 0) at = (at + 1) & this.slotMask;
      for (let index = 0; index < 4; index++) this.slots[at * 4 + index] = before[from + index] ?? 0;
    }
  }
}

function slotOf(first: number, second: number): number {
  return first ^ (second >>> 13);
}

function grown(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(values.length * 2);
  more.set(values);
  return more;
}
