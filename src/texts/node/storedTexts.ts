import * as z from 'zod/mini';
import { isAscii } from '../common/fold';
import { textKinds, type SearchableText } from '../common/searchableText';
import type { QueryTerm } from '../common/textQuery';
import { findTerm } from '../common/termMatch';
import type { GrowableBuffer } from './growableBuffer';
import { parseJson } from '../../base/common/parseJson';
import { IndexFileError } from './files/indexFileError';

/**
 * The encoded texts of one document in a segment. A search examines the bytes and decodes only the few texts that may
 * match.
 *
 *     count, length of the ids ─ for each text: its length and kind, length of its extra words ─ ids ─ texts ─ extra words
 *
 * Lengths are in bytes. Each id is a line of JSON. A text ends with a newline, so that the next text begins with a new word. Extra words are
 * words that are not visible in the bytes of the text, for example `naive` for `naïve`.
 */

const prefixBytes = 8;
const rowBytes = 8;
const asciiBit = 1;
const kindShift = 1;
const kindMask = 0xf;
const lengthShift = 5;
const Id = z.string();

/** Encodes texts. `onText` returns the words of each text that are not visible in its bytes. */
export function encodeTexts(
  texts: readonly SearchableText[],
  target: GrowableBuffer,
  onText: (bytes: Buffer, isAscii: boolean, index: number) => readonly string[],
): void {
  let row = target.length;
  target.reserve(prefixBytes + texts.length * rowBytes);
  const ids = target.appendText(texts.map(({ entryId }) => JSON.stringify(entryId)).join('\n'));
  target.writeUInt32(texts.length, row);
  target.writeUInt32(ids.length, row + 4);
  row += prefixBytes;
  const allExtraWords: string[] = [];
  for (const [index, { kind, text }] of texts.entries()) {
    const bytes = target.appendText(text);
    const isTextAscii = bytes.length === text.length;
    const words = onText(bytes, isTextAscii, index);
    const extraWords = words.length === 0 ? '' : extraWordsOf(bytes, words);
    const bits = (textKinds.indexOf(kind) << kindShift) | (isTextAscii ? asciiBit : 0);
    target.writeUInt32((((bytes.length + 1) << lengthShift) | bits) >>> 0, row);
    target.writeUInt32(Buffer.byteLength(extraWords), row + 4);
    row += rowBytes;
    target.appendText('\n');
    if (extraWords !== '') allExtraWords.push(extraWords);
  }
  for (const extraWords of allExtraWords) target.appendText(extraWords);
}

/** Returns the words that a search of the bytes would miss, each shortened to its ASCII prefix and preceded by a newline. */
function extraWordsOf(content: Buffer, words: readonly string[]): string {
  const lower = lowerBytes(content, 0, content.length);
  const prefixes = new Set(words.flatMap((word) => /^[a-z0-9]+/.exec(word)?.[0] ?? []));
  return [...prefixes]
    .filter((prefix) => !hasWordPrefix(lower, prefix))
    .map((prefix) => `\n${prefix}`)
    .join('');
}

/** Reads the encoded texts of a document. Decodes only the requested ones. */
export class StoredTexts {
  private readonly textCount: number;
  private readonly idsStart: number;
  private readonly textsStart: number;
  private readonly extraWordsStart: number;

  /** @throws IndexFileError if the content is damaged */
  constructor(private readonly content: Buffer) {
    const hasPrefix = content.length >= prefixBytes;
    this.textCount = hasPrefix ? content.readUInt32LE(0) : 0;
    this.idsStart = prefixBytes + this.textCount * rowBytes;
    this.textsStart = this.idsStart + (hasPrefix ? content.readUInt32LE(4) : 0);
    if (!hasPrefix || this.textsStart > content.length) throw new IndexFileError('a document has no texts');
    let [textBytes, extraWordBytes] = [0, 0];
    for (let index = 0; index < this.textCount; index++) {
      textBytes += this.textByteCountAt(index);
      extraWordBytes += this.extraWordByteCountAt(index);
    }
    this.extraWordsStart = this.textsStart + textBytes;
    if (this.extraWordsStart + extraWordBytes !== content.length)
      throw new IndexFileError('the texts of a document are damaged');
  }

  /**
   * Returns a bit mask for each text. Bit n is set if the text may contain term n. For ASCII texts, this is exact.
   * Other texts contain at least all words of the term, or words that begin with them.
   */
  possibleTermMasks(terms: readonly QueryTerm[]): Uint32Array {
    const bits = new Uint32Array(this.textCount);
    let start = this.textsStart;
    let extraStart = this.extraWordsStart;
    for (let index = 0; index < this.textCount; index++) {
      const [end, extraEnd] = [start + this.textByteCountAt(index), extraStart + this.extraWordByteCountAt(index)];
      const lower = lowerBytes(this.content, start, end);
      const isTextAscii = (this.lengthAndKindAt(index) & asciiBit) !== 0;
      const extraWords = extraStart === extraEnd ? '' : lowerBytes(this.content, extraStart, extraEnd);
      for (let position = 0; position < terms.length; position++) {
        const term = terms[position];
        if (term && (isTextAscii ? findTerm(lower, term) !== undefined : mayContain(term, lower, extraWords)))
          bits[index] = (bits[index] ?? 0) | (1 << position);
      }
      start = end;
      extraStart = extraEnd;
    }
    return bits;
  }

  /** Returns the wanted texts in stored order. @throws IndexFileError if the content is damaged */
  readTexts(isWanted: (index: number) => boolean): readonly SearchableText[] {
    const found: SearchableText[] = [];
    let ids: readonly string[] | undefined;
    let start = this.textsStart;
    for (let index = 0; index < this.textCount; index++) {
      const end = start + this.textByteCountAt(index);
      if (isWanted(index)) {
        ids ??= this.readIds();
        const kind = textKinds[(this.lengthAndKindAt(index) >>> kindShift) & kindMask] ?? 'output';
        found.push({ entryId: idIn(ids[index]), kind, text: this.content.toString('utf8', start, end - 1) });
      }
      start = end;
    }
    return found;
  }

  private readIds(): readonly string[] {
    const ids = this.content.toString('utf8', this.idsStart, this.textsStart).split('\n');
    if (ids.length !== this.textCount) throw new IndexFileError('the texts of a document are damaged');
    return ids;
  }

  private textByteCountAt(index: number): number {
    return this.lengthAndKindAt(index) >>> lengthShift;
  }

  private lengthAndKindAt(index: number): number {
    return this.content.readUInt32LE(prefixBytes + index * rowBytes);
  }

  private extraWordByteCountAt(index: number): number {
    return this.content.readUInt32LE(prefixBytes + index * rowBytes + 4);
  }
}

function idIn(line: string | undefined): string {
  const id = Id.safeParse(parseJson(line ?? '')).data;
  if (id === undefined) throw new IndexFileError('the texts of a document are damaged');
  return id;
}

/** Whether a non-ASCII text may contain the term. Only compares its lower-case bytes and its extra words. */
function mayContain({ words }: QueryTerm, lower: string, extraWords: string): boolean {
  return words.every((word) => !isAscii(word) || hasWordPrefix(lower, word) || hasWordPrefix(extraWords, word));
}

/** Returns a text with one character for each byte. ASCII letters are in lower case. */
function lowerBytes(content: Buffer, start: number, end: number): string {
  return content.toString('latin1', start, end).toLowerCase();
}

/** Whether the text contains a word that begins with `prefix`. */
function hasWordPrefix(lower: string, prefix: string): boolean {
  let index = lower.indexOf(prefix);
  while (index > 0 && isWordUnit(lower.charCodeAt(index - 1))) index = lower.indexOf(prefix, index + 1);
  return index >= 0;
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}
