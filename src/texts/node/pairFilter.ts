/**
 * A Bloom filter of the pairs of consecutive words in a document. With it, a search for a phrase of common words reads
 * only documents that probably contain the phrase. The size of the filter depends on the number of different pairs.
 */

const bitsPerPair = 8;
const minBits = 64;
/** Maximum size of a filter in bits (512 KiB), which is enough for the longest known documents. */
const maxBits = 4 * 1024 * 1024;
/** If the share of set bits in a filter is smaller, the filter is folded to half its size. */
const minFillShare = 0.15;

/** Builds pair filters, for one document after another. */
export class WordPairFilterBuilder {
  private pairHashes = new Int32Array(1 << 12);
  private pairCount = 0;

  /** Adds the words of a text, given by their hashes. */
  addWordHashes(wordHashes: Int32Array, wordCount: number): void {
    while (this.pairCount + wordCount > this.pairHashes.length) {
      const more = new Int32Array(this.pairHashes.length * 2);
      more.set(this.pairHashes);
      this.pairHashes = more;
    }
    const { pairHashes } = this;
    let { pairCount } = this;
    let before = wordHashes[0] ?? 0;
    for (let index = 1; index < wordCount; index++) {
      const after = wordHashes[index] ?? 0;
      pairHashes[pairCount++] = pairHash(before, after);
      before = after;
    }
    this.pairCount = pairCount;
  }

  /** Returns the filter of all pairs that were added since the last call. */
  build(): Buffer {
    const { pairCount, pairHashes } = this;
    this.pairCount = 0;
    if (pairCount === 0) return Buffer.alloc(0);
    let bits = minBits;
    while (bits < maxBits && bits < pairCount * bitsPerPair) bits *= 2;
    const filter = new Uint8Array(bits / 8);
    let setBits = 0;
    for (let index = 0; index < pairCount; index++) {
      const pair = pairHashes[index] ?? 0;
      setBits += setBit(filter, pair & (bits - 1)) + setBit(filter, secondHash(pair) & (bits - 1));
    }
    for (; bits > minBits && setBits < bits * minFillShare; bits /= 2) setBits = foldInHalf(filter, bits / 8);
    return Buffer.from(filter.buffer, 0, bits / 8);
  }
}

/** Whether a document may contain words with these hashes in sequence. False is certain, but true is not. */
export function mayContainSequence(filter: Uint8Array, words: readonly number[]): boolean {
  const mask = filter.length * 8 - 1;
  return words.every((hash, index) => {
    const before = words[index - 1];
    if (before === undefined) return true;
    const pair = pairHash(before, hash);
    return hasBit(filter, pair & mask) && hasBit(filter, secondHash(pair) & mask);
  });
}

/** Sets a bit. Returns 1 if the bit was not set before, and otherwise 0. */
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

/** Combines the second half of the first `bytes` bytes with the first. Returns the number of bits set there. */
function foldInHalf(filter: Uint8Array, bytes: number): number {
  let setBits = 0;
  for (let index = 0; index < bytes / 2; index++) {
    const byte = (filter[index] ?? 0) | (filter[index + bytes / 2] ?? 0);
    filter[index] = byte;
    setBits += bitCounts[byte] ?? 0;
  }
  return setBits;
}

const bitCounts = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function pairHash(before: number, after: number): number {
  const both = Math.imul(before, 0x9e3779b1) ^ after;
  const mixed = Math.imul(both ^ (both >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function secondHash(pair: number): number {
  return Math.imul(pair, 0x45d9f3b) ^ (pair >>> 11);
}
