/**
 * Tells of a thread which words follow each other in it, so that a search for a phrase of common words does not read all
 * texts that have the words: a Bloom filter of pairs, which is sometimes wrong with yes and never with no. It has as many
 * bits as there are different pairs to tell apart.
 */

const bitsPerPair = 8;
const minBits = 64;
/** 512 KiB: more different pairs than there are in the longest threads that were seen. */
const maxBits = 4 * 1024 * 1024;
/** A filter with fewer bits set is folded to half its size. */
const fullEnough = 0.15;

/** Collects the pairs of one thread after another. */
export class PairFilterBuilder {
  private pairs = new Int32Array(1 << 12);
  private count = 0;

  /** The words of a text, by their hashes. */
  addAll(words: Int32Array, wordCount: number): void {
    while (this.count + wordCount > this.pairs.length) {
      const more = new Int32Array(this.pairs.length * 2);
      more.set(this.pairs);
      this.pairs = more;
    }
    const { pairs } = this;
    let { count } = this;
    let before = words[0] ?? 0;
    for (let index = 1; index < wordCount; index++) {
      const after = words[index] ?? 0;
      pairs[count++] = pairHash(before, after);
      before = after;
    }
    this.count = count;
  }

  /** The filter of all since the last call. */
  take(): Buffer {
    const { count, pairs } = this;
    this.count = 0;
    if (count === 0) return Buffer.alloc(0);
    let bits = minBits;
    while (bits < maxBits && bits < count * bitsPerPair) bits *= 2;
    const filter = new Uint8Array(bits / 8);
    let set = 0;
    for (let index = 0; index < count; index++) {
      const pair = pairs[index] ?? 0;
      set += setBit(filter, pair & (bits - 1)) + setBit(filter, secondHash(pair) & (bits - 1));
    }
    for (; bits > minBits && set < bits * fullEnough; bits /= 2) set = folded(filter, bits / 8);
    return Buffer.from(filter.buffer, 0, bits / 8);
  }
}

/** Whether words of these hashes may follow each other. */
export function mayFollow(filter: Uint8Array, words: readonly number[]): boolean {
  const mask = filter.length * 8 - 1;
  return words.every((hash, index) => {
    const before = words[index - 1];
    if (before === undefined) return true;
    const pair = pairHash(before, hash);
    return hasBit(filter, pair & mask) && hasBit(filter, secondHash(pair) & mask);
  });
}

/** 1 when it was not set. */
function setBit(filter: Uint8Array, bit: number): number {
  const byte = filter[bit >>> 3] ?? 0;
  const mask = 1 << (bit & 7);
  if ((byte & mask) !== 0) return 0;
  filter[bit >>> 3] = byte | mask;
  return 1;
}

function hasBit(filter: Uint8Array, bit: number): boolean {
  return ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}

/** Puts the second half of so many bytes onto the first; how many bits are set there then. */
function folded(filter: Uint8Array, bytes: number): number {
  let set = 0;
  for (let index = 0; index < bytes / 2; index++) {
    const byte = (filter[index] ?? 0) | (filter[index + bytes / 2] ?? 0);
    filter[index] = byte;
    set += bitsIn[byte] ?? 0;
  }
  return set;
}

const bitsIn = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function pairHash(before: number, after: number): number {
  const both = Math.imul(before, 0x9e3779b1) ^ after;
  const mixed = Math.imul(both ^ (both >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function secondHash(pair: number): number {
  return Math.imul(pair, 0x45d9f3b) ^ (pair >>> 11);
}
