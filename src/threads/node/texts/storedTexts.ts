import * as z from 'zod/mini';
import { isAscii } from '../../common/query/fold';
import { type SearchedText } from '../../common/query/searchedText';
import { textKinds } from '../../common/threadPorts';
import type { QueryTerm } from '../../common/query/threadQuery';
import { findTerm } from '../../common/query/termMatch';
import type { Arena } from './arena';
import { parseJson } from '../../../base/common/parseJson';
import { IndexFileError } from '../files/headFile';

/**
 * The texts of one thread in a segment. A search looks at the bytes and decodes only those
 * that may have what it seeks: most have not, and there are thousands.
 *
 *     count, bytes of the ids ─ for each text: its bytes and kind, bytes of its more words ─ ids ─ texts ─ more words
 *
 * Each id is JSON on a line of its own. A text ends with a line end, so that the next one begins a word. Its more words are those that its bytes do not show,
 * whatever the case: `naive` for `naïve`.
 */

const prefixBytes = 8;
const rowBytes = 8;
const asciiBit = 1;
const kindShift = 1;
const kindMask = 0xf;
const lengthShift = 5;
const Id = z.string();

/** Writes texts as they are stored. `onText` is called for each and tells which words of it its bytes do not show. */
export function encodeTexts(
  texts: readonly SearchedText[],
  to: Arena,
  onText: (bytes: Buffer, isAscii: boolean, index: number) => readonly string[],
): void {
  let row = to.length;
  to.take(prefixBytes + texts.length * rowBytes);
  const ids = to.addText(texts.map(({ entryId }) => JSON.stringify(entryId)).join('\n'));
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
  const lower = lowerBytes(content, 0, content.length);
  const begins = new Set(words.flatMap((word) => /^[a-z0-9]+/.exec(word)?.[0] ?? []));
  return [...begins]
    .filter((begin) => !hasWord(lower, begin))
    .map((begin) => `\n${begin}`)
    .join('');
}

/** As they were written; nothing is decoded before it is asked for. */
export class StoredTexts {
  private readonly count: number;
  private readonly idsAt: number;
  private readonly textsAt: number;
  private readonly moreAt: number;

  /** @throws IndexFileError when it is not what was written */
  constructor(private readonly content: Buffer) {
    const isThere = content.length >= prefixBytes;
    this.count = isThere ? content.readUInt32LE(0) : 0;
    this.idsAt = prefixBytes + this.count * rowBytes;
    this.textsAt = this.idsAt + (isThere ? content.readUInt32LE(4) : 0);
    if (!isThere || this.textsAt > content.length) throw new IndexFileError('a thread has no texts');
    let [texts, more] = [0, 0];
    for (let index = 0; index < this.count; index++) {
      texts += this.bytesAt(index);
      more += this.moreBytesAt(index);
    }
    this.moreAt = this.textsAt + texts;
    if (this.moreAt + more !== content.length) throw new IndexFileError('the texts of a thread are damaged');
  }

  /**
   * For each text: a bit for each term that it may have, the first one for the first term. In a text of ASCII the term is
   * there then; in any other all of its words are, or words that begin with them.
   */
  mayHave(terms: readonly QueryTerm[]): Uint32Array {
    const bits = new Uint32Array(this.count);
    let start = this.textsAt;
    let moreStart = this.moreAt;
    for (let index = 0; index < this.count; index++) {
      const [end, moreEnd] = [start + this.bytesAt(index), moreStart + this.moreBytesAt(index)];
      const lower = lowerBytes(this.content, start, end);
      const isFolded = (this.rowAt(index) & asciiBit) !== 0;
      const more = moreStart === moreEnd ? '' : lowerBytes(this.content, moreStart, moreEnd);
      for (let position = 0; position < terms.length; position++) {
        const term = terms[position];
        if (term && (isFolded ? findTerm(lower, term) !== undefined : mayFold(term, lower, more)))
          bits[index] = (bits[index] ?? 0) | (1 << position);
      }
      start = end;
      moreStart = moreEnd;
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
        found.push({ entryId: idIn(ids[index]), kind, text: this.content.toString('utf8', start, end - 1) });
      }
      start = end;
    }
    return found;
  }

  private ids(): readonly string[] {
    const ids = this.content.toString('utf8', this.idsAt, this.textsAt).split('\n');
    if (ids.length !== this.count) throw new IndexFileError('the texts of a thread are damaged');
    return ids;
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

function idIn(line: string | undefined): string {
  const id = Id.safeParse(parseJson(line ?? '')).data;
  if (id === undefined) throw new IndexFileError('the texts of a thread are damaged');
  return id;
}

/** Whether a text that is not ASCII may have the term, by its bytes and its more words. */
function mayFold({ words }: QueryTerm, lower: string, more: string): boolean {
  return words.every((word) => !isAscii(word) || hasWord(lower, word) || hasWord(more, word));
}

/** One character a byte; ASCII in lower case, and nothing else becomes ASCII. */
function lowerBytes(content: Buffer, start: number, end: number): string {
  return content.toString('latin1', start, end).toLowerCase();
}

/** Whether a word begins so. */
function hasWord(lower: string, word: string): boolean {
  let at = lower.indexOf(word);
  while (at > 0 && isWordUnit(lower.charCodeAt(at - 1))) at = lower.indexOf(word, at + 1);
  return at >= 0;
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}
