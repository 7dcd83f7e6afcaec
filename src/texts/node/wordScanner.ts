import { foldForSearch } from '../common/fold';
import { maxWordUnits, wordsOf } from '../common/words';

const [newline, space] = [0x0a, 0x20];
/** Maps ASCII letters to lower case and digits to themselves. All other bytes become 0. */
const lettersAndDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

const asciiRun = /[A-Za-z0-9]+/g;

const firstSeed = 0x811c9dc5 | 0;
const firstPrime = 0x01000193;
const secondSeed = 0x2f0b4c47;
const secondPrime = 0x5bd1e995;

/** Returns two hashes of a folded word in UTF-8. Together they identify the word. */
export function hashWord(bytes: Uint8Array): readonly [number, number] {
  let [first, second] = [firstSeed, secondSeed];
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, firstPrime);
    second = Math.imul(second ^ byte, secondPrime);
  }
  return [first, second];
}

/**
 * Finds the words of a text like `wordsOf(foldForSearch(text))`. Works on the bytes and creates no object for ASCII
 * words. Each scan overwrites the results of the previous one.
 */
export class WordScanner {
  count = 0;
  firstHashes = new Int32Array(1 << 12);
  secondHashes = new Int32Array(1 << 12);
  /** The offsets of the words in `bytes`. The words may contain upper-case ASCII letters. */
  starts = new Uint32Array(1 << 12);
  ends = new Uint32Array(1 << 12);
  bytes: Uint8Array = new Uint8Array();
  /** Words that are not visible in the bytes of the text, such as `naive` for `naïve`. */
  hiddenWords: readonly string[] = [];

  /** Scans a text in UTF-8. */
  scanWords(text: Buffer, isAscii: boolean): void {
    this.count = 0;
    this.hiddenWords = [];
    this.bytes = text;
    if (isAscii) this.scanAscii(text, 0, text.length);
    else this.scanUnicode(text);
  }

  /** Decodes and folds pieces that contain non-ASCII characters. Pieces end at blanks, which no word contains. */
  private scanUnicode(text: Buffer): void {
    const folded: Buffer[] = [];
    const hiddenWords: string[] = [];
    let foldedAt = text.length;
    let next = 0;
    for (let at = nextNonAscii(text, 0); at < text.length; at = nextNonAscii(text, next)) {
      let start = at;
      while (start > next && !isBlank(text[start - 1])) start--;
      let end = at;
      while (end < text.length && !isBlank(text[end])) end++;
      this.scanAscii(text, next, start);
      next = end;
      const piece = text.toString('utf8', start, end);
      const shown = new Set(piece.match(asciiRun)?.map((run) => run.toLowerCase()));
      for (const word of wordsOf(foldForSearch(piece))) {
        const bytes = Buffer.from(word);
        const [first, second] = hashWord(bytes);
        this.addWord(first, second, foldedAt, foldedAt + bytes.length);
        foldedAt += bytes.length;
        folded.push(bytes);
        if (!shown.has(word)) hiddenWords.push(word);
      }
    }
    this.scanAscii(text, next, text.length);
    if (folded.length > 0) this.bytes = Buffer.concat([text, ...folded]);
    this.hiddenWords = hiddenWords;
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
        this.addWord(first, second, begin, index);
        begin = -1;
      }
    }
    if (begin >= 0) this.addWord(first, second, begin, end);
  }

  private addWord(firstHash: number, secondHash: number, start: number, end: number): void {
    const { count } = this;
    if (count === this.firstHashes.length) this.growBuffers();
    this.firstHashes[count] = firstHash;
    this.secondHashes[count] = secondHash;
    this.starts[count] = start;
    this.ends[count] = end;
    this.count = count + 1;
  }

  private growBuffers(): void {
    const size = this.firstHashes.length * 2;
    const [first, second, starts, ends] = [this.firstHashes, this.secondHashes, this.starts, this.ends];
    this.firstHashes = new Int32Array(size);
    this.secondHashes = new Int32Array(size);
    this.starts = new Uint32Array(size);
    this.ends = new Uint32Array(size);
    this.firstHashes.set(first);
    this.secondHashes.set(second);
    this.starts.set(starts);
    this.ends.set(ends);
  }
}

/** Copies a word in lower case to `offset` in `target`. Returns the offset of its end. */
export function copyWordInLowerCase(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  offset: number,
): number {
  const last = isAsciiBetween(source, start, end) ? Math.min(end, start + maxWordUnits) : end;
  for (let index = start; index < last; index++) {
    const byte = source[index] ?? 0;
    const folded = lettersAndDigits[byte] ?? 0;
    target[offset++] = folded === 0 ? byte : folded;
  }
  return offset;
}

function isAsciiBetween(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if ((bytes[index] ?? 0) >= 0x80) return false;
  return true;
}

/** Returns the offset of the next non-ASCII byte. Without one, returns the length. */
function nextNonAscii(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === newline;
}
