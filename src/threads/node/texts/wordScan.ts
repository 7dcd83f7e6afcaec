import { fold } from '../../common/query/fold';
import { maxWordUnits, wordsOf } from '../../common/query/words';

/**
 * Finds the words of texts, as `wordsOf(fold(text))` does, in their bytes: text of tools is most of a store, and nearly all
 * of it is ASCII. Nothing here makes a string or an object for a word of such a text.
 */

const [lineEnd, space] = [0x0a, 0x20];
/** ASCII letters in lower case, and digits; 0 for what is between words. */
const lettersAndDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

const asciiRun = /[A-Za-z0-9]+/g;

const firstSeed = 0x811c9dc5 | 0;
const firstPrime = 0x01000193;
const secondSeed = 0x2f0b4c47;
const secondPrime = 0x5bd1e995;

/** Of the UTF-8 of a folded word: two hashes, which together tell it from all others. */
export function hashesOfWord(bytes: Uint8Array): readonly [number, number] {
  let [first, second] = [firstSeed, secondSeed];
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, firstPrime);
    second = Math.imul(second ^ byte, secondPrime);
  }
  return [first, second];
}

/** The words of one text after another; what they were is gone with the next one. */
export class WordScan {
  /** How many words there are. */
  count = 0;
  /** Hashes of each. */
  first = new Int32Array(1 << 12);
  second = new Int32Array(1 << 12);
  /** Where the bytes of each are in `bytes`, whose ASCII letters may be capital ones. */
  starts = new Uint32Array(1 << 12);
  ends = new Uint32Array(1 << 12);
  bytes: Uint8Array = new Uint8Array();
  /** Words that their bytes may not show. */
  others: readonly string[] = [];

  /** `text` is in UTF-8. */
  scan(text: Buffer, isAscii: boolean): void {
    this.count = 0;
    this.others = [];
    this.bytes = text;
    if (isAscii) this.scanAscii(text, 0, text.length);
    else this.scanOther(text);
  }

  /** What stands between blanks and is not ASCII is folded as text; nothing of it goes on beyond them. */
  private scanOther(text: Buffer): void {
    const folded: Buffer[] = [];
    const others: string[] = [];
    let foldedAt = text.length;
    let next = 0;
    for (let at = nextOther(text, 0); at < text.length; at = nextOther(text, next)) {
      let start = at;
      while (start > next && !isBlank(text[start - 1])) start--;
      let end = at;
      while (end < text.length && !isBlank(text[end])) end++;
      this.scanAscii(text, next, start);
      next = end;
      const piece = text.toString('utf8', start, end);
      const shown = new Set(piece.match(asciiRun)?.map((run) => run.toLowerCase()));
      for (const word of wordsOf(fold(piece))) {
        const bytes = Buffer.from(word);
        const [first, second] = hashesOfWord(bytes);
        this.add(first, second, foldedAt, foldedAt + bytes.length);
        foldedAt += bytes.length;
        folded.push(bytes);
        if (!shown.has(word)) others.push(word);
      }
    }
    this.scanAscii(text, next, text.length);
    if (folded.length > 0) this.bytes = Buffer.concat([text, ...folded]);
    this.others = others;
  }

  private scanAscii(text: Uint8Array, start: number, end: number): void {
    let begin = -1;
    let [first, second] = [firstSeed, secondSeed];
    for (let index = start; index < end; index++) {
      const unit = lettersAndDigits[text[index] ?? 0] ?? 0;
      if (unit !== 0) {
        if (begin < 0) {
          begin = index;
          first = firstSeed;
          second = secondSeed;
        } else if (index - begin >= maxWordUnits) continue;
        first = Math.imul(first ^ unit, firstPrime);
        second = Math.imul(second ^ unit, secondPrime);
      } else if (begin >= 0) {
        this.add(first, second, begin, index);
        begin = -1;
      }
    }
    if (begin >= 0) this.add(first, second, begin, end);
  }

  private add(first: number, second: number, start: number, end: number): void {
    const { count } = this;
    if (count === this.first.length) this.grow();
    this.first[count] = first;
    this.second[count] = second;
    this.starts[count] = start;
    this.ends[count] = end;
    this.count = count + 1;
  }

  private grow(): void {
    const size = this.first.length * 2;
    const [first, second, starts, ends] = [this.first, this.second, this.starts, this.ends];
    this.first = new Int32Array(size);
    this.second = new Int32Array(size);
    this.starts = new Uint32Array(size);
    this.ends = new Uint32Array(size);
    this.first.set(first);
    this.second.set(second);
    this.starts.set(starts);
    this.ends.set(ends);
  }
}

/** Copies a word that was found, folded; where it ends then. */
export function copyWord(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  const last = isAsciiBetween(from, start, end) ? Math.min(end, start + maxWordUnits) : end;
  for (let index = start; index < last; index++) {
    const byte = from[index] ?? 0;
    const folded = lettersAndDigits[byte] ?? 0;
    to[at++] = folded === 0 ? byte : folded;
  }
  return at;
}

function isAsciiBetween(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if ((bytes[index] ?? 0) >= 0x80) return false;
  return true;
}

/** Where the next byte is that is not ASCII; the length when there is none. */
function nextOther(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === lineEnd;
}
