import { copyWord, hashesOfWord, type WordScan } from './wordScan';

/** Where in a thread a word is, the best place first. */
export const wordFields = ['title', 'prompt', 'answer', 'work'] as const;
const fieldBits = 2;
const fieldMask = (1 << fieldBits) - 1;
const lineEnd = 0x0a;
/** The words that were added last, by a part of their hash: most come again and again. */
const recentMask = (1 << 13) - 1;

/** The words of a segment, each once, and which of its threads have them. */
export interface WordLists {
  /** Each word between line ends. */
  readonly words: Buffer;
  /** Where each word starts in `words`; one more at the end. */
  readonly wordStarts: Uint32Array;
  /** Where the postings of each word start; one more at the end. */
  readonly postingStarts: Uint32Array;
  /** The thread's number in the segment, and in the lowest bits the field; one for each thread that has the word. */
  readonly postings: Uint32Array;
}

export function threadOf(posting: number): number {
  return posting >>> fieldBits;
}

/** The number of the field in `wordFields`. */
export function fieldOf(posting: number): number {
  return posting & fieldMask;
}

/** Collects the words of threads that come one after another, of each its fields from the best on. */
export class WordTable {
  private words = Buffer.alloc(1 << 16);
  private length = 1;
  private count = 0;
  private starts = new Uint32Array(1 << 12);
  private postingCounts = new Uint32Array(1 << 12);
  /**
   * By hash, with open addressing; four numbers a word, which are near each other in memory: its hashes, its number plus 1
   * and the last thread that has it plus 1.
   */
  private slots = new Int32Array(1 << 16);
  private slotMask = (1 << 14) - 1;
  private postingWords = new Uint32Array(1 << 14);
  private postings = new Uint32Array(1 << 14);
  private postingCount = 0;
  /** Two hashes a word. */
  private readonly recent = new Int32Array((recentMask + 1) * 2);
  private others = new Uint32Array(1 << 12);
  /** Of no use but to be kept: what is not used is not read. */
  protected touched = 0;
  private recentThread = -1;

  constructor() {
    this.words[0] = lineEnd;
  }

  /** About what it takes on disk. */
  get bytes(): number {
    return this.length + this.count * 8 + this.postingCount * 4;
  }

  /** All words of a text. `field` is a number of `wordFields`; only the first one of a word in a thread counts. */
  addAll(scan: WordScan, thread: number, field: number): void {
    const found = this.withoutRecent(scan, thread);
    this.touchSlots(scan, found);
    const { first, second, starts, ends, bytes } = scan;
    const { others } = this;
    for (let index = 0; index < found; index++) {
      const word = others[index] ?? 0;
      const slot = this.find(first[word] ?? 0, second[word] ?? 0, bytes, starts[word] ?? 0, ends[word] ?? 0);
      this.post(slot, thread, field);
    }
  }

  /** Puts the places of all words into `others` that were not added for this thread a moment ago; how many there are. */
  private withoutRecent({ count, first, second }: WordScan, thread: number): number {
    const { recent } = this;
    if (this.recentThread !== thread) {
      this.recentThread = thread;
      recent.fill(0);
    }
    if (this.others.length < count) this.others = new Uint32Array(count * 2);
    const { others } = this;
    let found = 0;
    for (let index = 0; index < count; index++) {
      const one = first[index] ?? 0;
      const other = second[index] ?? 0;
      const at = ((one ^ (one >>> 16)) & recentMask) * 2;
      if (recent[at] === one && recent[at + 1] === other) continue;
      recent[at] = one;
      recent[at + 1] = other;
      others[found++] = index;
    }
    return found;
  }

  /** Reading all slots in a row, without asking what is in them, lets the processor fetch many of them at once. */
  private touchSlots({ first, second }: WordScan, found: number): void {
    const { others, slots, slotMask } = this;
    let touched = 0;
    for (let index = 0; index < found; index++) {
      const word = others[index] ?? 0;
      touched ^= slots[(slotOf(first[word] ?? 0, second[word] ?? 0) & slotMask) * 4] ?? 0;
    }
    this.touched = touched;
  }

  /** What other lists have of the threads that `numberOf` knows, under its numbers. */
  copy(lists: WordLists, numberOf: (thread: number) => number | undefined): void {
    const { words, wordStarts, postingStarts, postings } = lists;
    for (let word = 0; word + 1 < wordStarts.length; word++) {
      const start = wordStarts[word] ?? 0;
      const end = (wordStarts[word + 1] ?? 0) - 1;
      let own: number | undefined;
      for (let index = postingStarts[word] ?? 0; index < (postingStarts[word + 1] ?? 0); index++) {
        const posting = postings[index] ?? 0;
        const thread = numberOf(threadOf(posting));
        if (thread === undefined) continue;
        own ??= this.find(...hashesOfWord(words.subarray(start, end)), words, start, end);
        this.post(own, thread, fieldOf(posting));
      }
    }
  }

  lists(): WordLists {
    const wordStarts = new Uint32Array(this.count + 1);
    wordStarts.set(this.starts.subarray(0, this.count));
    wordStarts[this.count] = this.length;
    const postingStarts = new Uint32Array(this.count + 1);
    for (let word = 0; word < this.count; word++)
      postingStarts[word + 1] = (postingStarts[word] ?? 0) + (this.postingCounts[word] ?? 0);
    const next = postingStarts.slice();
    const postings = new Uint32Array(this.postingCount);
    for (let index = 0; index < this.postingCount; index++) {
      const word = this.postingWords[index] ?? 0;
      const at = next[word] ?? 0;
      postings[at] = this.postings[index] ?? 0;
      next[word] = at + 1;
    }
    return { words: this.words.subarray(0, this.length), wordStarts, postingStarts, postings };
  }

  private post(slot: number, thread: number, field: number): void {
    const { slots } = this;
    if (slots[slot + 3] === thread + 1) return;
    slots[slot + 3] = thread + 1;
    const word = (slots[slot + 2] ?? 0) - 1;
    this.postingCounts[word] = (this.postingCounts[word] ?? 0) + 1;
    if (this.postingCount === this.postings.length) {
      this.postings = grown(this.postings);
      this.postingWords = grown(this.postingWords);
    }
    this.postings[this.postingCount] = (thread << fieldBits) | field;
    this.postingWords[this.postingCount++] = word;
  }

  /** Where the word is in the slots, which is a new one when it is not known. */
  private find(first: number, second: number, bytes: Uint8Array, start: number, end: number): number {
    const { slots, slotMask } = this;
    for (let at = slotOf(first, second) & slotMask; ; at = (at + 1) & slotMask) {
      const slot = at * 4;
      if (slots[slot + 2] === 0) return this.append(slot, first, second, bytes, start, end);
      if (slots[slot] === first && slots[slot + 1] === second) return slot;
    }
  }

  private append(slot: number, first: number, second: number, bytes: Uint8Array, start: number, end: number): number {
    while (this.length + end - start + 1 > this.words.length)
      this.words = Buffer.concat([this.words], this.words.length * 2);
    if (this.count === this.starts.length) {
      this.starts = grown(this.starts);
      this.postingCounts = grown(this.postingCounts);
    }
    this.starts[this.count++] = this.length;
    this.slots[slot] = first;
    this.slots[slot + 1] = second;
    this.slots[slot + 2] = this.count;
    this.length = copyWord(bytes, start, end, this.words, this.length);
    this.words[this.length++] = lineEnd;
    if (this.count * 3 <= this.slotMask * 2) return slot;
    this.rehash();
    return this.find(first, second, bytes, start, end);
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
