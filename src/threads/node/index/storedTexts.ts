import * as z from 'zod/mini';
import { isAscii } from '../../common/query/fold';
import { textKinds, type SearchedText } from '../../common/query/searchedText';
import type { Arena } from './arena';
import { IndexFileError, parsedLine } from './headFile';

/**
 * The texts of one thread in a segment. A search looks at the bytes of all of them at once and makes strings only of those
 * that may have what it seeks: most have not, and there are thousands.
 *
 *     count, bytes of the ids ─ for each text: its bytes and kind, bytes of its more words ─ ids ─ texts ─ more words
 *
 * A text ends with a line end, so that the next one begins a word. Its more words are those that its bytes do not show,
 * whatever the case: `naive` for `naïve`.
 */

const prefixBytes = 8;
const rowBytes = 8;
const asciiBit = 1;
const kindShift = 1;
const kindMask = 0xf;
const lengthShift = 5;
const Ids = z.array(z.string());

/** Writes texts as they are stored. `onText` is called for each and tells which words of it its bytes do not show. */
export function encodeTexts(
  texts: readonly SearchedText[],
  to: Arena,
  onText: (bytes: Buffer, isAscii: boolean, index: number) => readonly string[],
): void {
  let row = to.length;
  to.take(prefixBytes + texts.length * rowBytes);
  const ids = to.addText(JSON.stringify(texts.map(({ entryId }) => entryId)));
  to.writeUInt32(texts.length, row);
  to.writeUInt32(ids.length, row + 4);
  row += prefixBytes;
  const others: string[] = [];
  for (const [index, { kind, text }] of texts.entries()) {
    const bytes = to.addText(text);
    const isTextAscii = bytes.length === text.length;
    const words = onText(bytes, isTextAscii, index);
    const more = words.length === 0 ? '' : moreWords(bytes, words);
    const bits = (textKinds.indexOf(kind) << kindShift) | (isTextAscii ? asciiBit : 0);
    to.writeUInt32((((bytes.length + 1) << lengthShift) | bits) >>> 0, row);
    to.writeUInt32(Buffer.byteLength(more), row + 4);
    row += rowBytes;
    to.addText('\n');
    if (more !== '') others.push(more);
  }
  for (const more of others) to.addText(more);
}

/** What begins like them in ASCII and is not in the bytes, each with a line end before it. */
function moreWords(content: Buffer, words: readonly string[]): string {
  const lower = lowerBytes(content, 0);
  const begins = new Set(words.flatMap((word) => /^[a-z0-9]+/.exec(word)?.[0] ?? []));
  return [...begins]
    .filter((begin) => indexOfWord(lower, begin, 0) < 0)
    .map((begin) => `\n${begin}`)
    .join('');
}

/** As they were written; nothing is decoded before it is asked for. */
export class StoredTexts {
  private readonly count: number;
  private readonly idsAt: number;
  private readonly textsAt: number;

  /** @throws IndexFileError when it is not what was written */
  constructor(private readonly content: Buffer) {
    const isThere = content.length >= prefixBytes;
    this.count = isThere ? content.readUInt32LE(0) : 0;
    this.idsAt = prefixBytes + this.count * rowBytes;
    this.textsAt = this.idsAt + (isThere ? content.readUInt32LE(4) : 0);
    if (!isThere || this.textsAt > content.length) throw new IndexFileError('a thread has no texts');
    let end = this.textsAt;
    for (let index = 0; index < this.count; index++) end += this.bytesAt(index) + this.moreBytesAt(index);
    if (end !== content.length) throw new IndexFileError('the texts of a thread are damaged');
  }

  /**
   * For each text: a bit for each term that it may have, the first one for the first term. A term is folded words, all of
   * which are in a text that has it, or begin words of it.
   */
  mayHave(terms: readonly (readonly string[])[]): Uint32Array {
    const lower = lowerBytes(this.content, this.textsAt);
    const bits = new Uint32Array(this.count);
    for (const [position, words] of terms.entries()) {
      const marks = words.map((word) => this.marksOf(word, lower));
      for (let index = 0; index < this.count; index++)
        if (marks.every((mark) => mark[index] === 1)) bits[index] = (bits[index] ?? 0) | (1 << position);
    }
    return bits;
  }

  /** In their order. @throws IndexFileError when it is not what was written */
  read(isWanted: (index: number) => boolean): readonly SearchedText[] {
    const found: SearchedText[] = [];
    let ids: readonly string[] | undefined;
    let start = this.textsAt;
    for (let index = 0; index < this.count; index++) {
      const end = start + this.bytesAt(index);
      if (isWanted(index)) {
        ids ??= this.ids();
        const kind = textKinds[(this.rowAt(index) >>> kindShift) & kindMask] ?? 'output';
        found.push({ entryId: ids[index] ?? '', kind, text: this.content.toString('utf8', start, end - 1) });
      }
      start = end;
    }
    return found;
  }

  private ids(): readonly string[] {
    const ids = Ids.safeParse(parsedLine(this.content.toString('utf8', this.idsAt, this.textsAt))).data;
    if (ids?.length !== this.count) throw new IndexFileError('the texts of a thread are damaged');
    return ids;
  }

  /** 1 for each text that may have it. */
  private marksOf(word: string, lower: string): Uint8Array {
    const may = new Uint8Array(this.count);
    if (isAscii(word)) this.markWith(word, lower, may);
    else this.markNotAscii(may);
    return may;
  }

  private markWith(word: string, lower: string, may: Uint8Array): void {
    let end = 0;
    let at = indexOfWord(lower, word, 0);
    for (let index = 0; index < this.count && at >= 0; index++) {
      end += this.bytesAt(index);
      if (at >= end) continue;
      may[index] = 1;
      at = indexOfWord(lower, word, end);
    }
    for (let index = 0; index < this.count && at >= 0; index++) {
      end += this.moreBytesAt(index);
      if (at >= end) continue;
      may[index] = 1;
      at = indexOfWord(lower, word, end);
    }
  }

  private markNotAscii(may: Uint8Array): void {
    for (let index = 0; index < this.count; index++) if ((this.rowAt(index) & asciiBit) === 0) may[index] = 1;
  }

  private bytesAt(index: number): number {
    return this.rowAt(index) >>> lengthShift;
  }

  private rowAt(index: number): number {
    return this.content.readUInt32LE(prefixBytes + index * rowBytes);
  }

  private moreBytesAt(index: number): number {
    return this.content.readUInt32LE(prefixBytes + index * rowBytes + 4);
  }
}

/** One character a byte, so that positions are those of bytes; ASCII in lower case, and nothing else becomes ASCII. */
function lowerBytes(content: Buffer, from: number): string {
  return content.toString('latin1', from).toLowerCase();
}

/** Where a word begins so, at or after `from`; -1 when there is none. */
function indexOfWord(lower: string, word: string, from: number): number {
  let at = lower.indexOf(word, from);
  while (at > 0 && isWordUnit(lower.charCodeAt(at - 1))) at = lower.indexOf(word, at + 1);
  return at;
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}
