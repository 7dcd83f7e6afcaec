/**
 * Tells of a thread which words follow each other in it, so that a search for a phrase of common words does not read all
 * texts that have the words: a Bloom filter of pairs, which is sometimes wrong with yes and never with no.
 */

const bitsPerPair = 8;
const hashes = 3;
/** The list of words of a thread with megabytes of text has few new pairs in its end. */
const maxBytes = 64 * 1024;

/** Of texts as lists of folded words. */
export function pairFilterOf(texts: readonly (readonly string[])[]): Buffer {
  const pairs = texts.reduce((total, words) => total + Math.max(0, words.length - 1), 0);
  const filter = Buffer.alloc(Math.min(maxBytes, Math.ceil((pairs * bitsPerPair) / 8)));
  for (const words of texts) {
    let before: number | undefined;
    for (const word of words) {
      const hash = hashOf(word);
      if (before !== undefined) addPair(filter, before, hash);
      before = hash;
    }
  }
  return filter;
}

/** Whether the words may follow each other. */
export function mayFollow(filter: Uint8Array, words: readonly string[]): boolean {
  const codes = words.map(hashOf);
  return codes.every((hash, index) => {
    const before = codes[index - 1];
    return before === undefined || hasPair(filter, before, hash);
  });
}

// Called for each word of all threads: no arrays here.
function addPair(filter: Uint8Array, before: number, after: number): void {
  const first = firstHash(before, after);
  const step = stepHash(first, before);
  for (let index = 0; index < hashes; index++) {
    const bit = bitAt(filter, first, step, index);
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
}

function hasPair(filter: Uint8Array, before: number, after: number): boolean {
  const first = firstHash(before, after);
  const step = stepHash(first, before);
  for (let index = 0; index < hashes; index++) {
    const bit = bitAt(filter, first, step, index);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function bitAt(filter: Uint8Array, first: number, step: number, index: number): number {
  return ((first + Math.imul(step, index)) >>> 0) % (filter.length * 8);
}

function firstHash(before: number, after: number): number {
  return mixed(Math.imul(before, 31) ^ after);
}

function stepHash(first: number, before: number): number {
  return mixed(first ^ before) | 1;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (once ^ (once >>> 16)) >>> 0;
}
