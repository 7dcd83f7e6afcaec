import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { FileKey } from '../files/fileKey';
import { IndexFileError } from '../files/headFile';
import type { WordLists } from './wordTable';

/**
 * A file of the text index: a table of threads, the words of all of them and which threads have each (what a search looks
 * through), which words follow each other in the conversation of each thread and in its work, and the texts (what it shows).
 * It is written once and never changed.
 *
 *     magic, length and checksum of the table ─ table ─ words ─ numbers ─ pairs ─ texts
 *
 * The words stand between line ends, each once: a search for `\nword` finds it, and all that begin with it, with the speed
 * of a plain byte search. The numbers say where words and their postings start, and the postings. Of each thread the texts
 * of the conversation come first, then those of its work.
 */

const magic = Buffer.from('BLTEXT4\n');
const prefixBytes = magic.length + 8;
const numberBytes = 4;
const Position = z.int().check(z.nonnegative());

/** Positions are bytes, of the pairs or the texts. */
export const SegmentThread = z.object({
  file: FileKey,
  threadId: z.string(),
  title: z.string(),
  lastPromptAt: z.number(),
  pairsStart: Position,
  workPairsStart: Position,
  pairsEnd: Position,
  textsStart: Position,
  workStart: Position,
  textsEnd: Position,
});
export type SegmentThread = z.infer<typeof SegmentThread>;
export type ThreadPart = 'conversation' | 'work';

const Table = z.object({
  threads: z.array(SegmentThread),
  wordsBytes: Position,
  wordsCrc: z.number(),
  wordCount: Position,
  postingCount: Position,
  numbersCrc: z.number(),
  pairsBytes: Position,
  pairsCrc: z.number(),
  textsBytes: Position,
});

export interface SegmentContent {
  readonly threads: readonly SegmentThread[];
  readonly lists: WordLists;
  readonly pairs: readonly Buffer[];
  readonly texts: Buffer;
}

/** To be written one after another. */
export function encodeSegment({ threads, lists, pairs, texts }: SegmentContent): readonly Buffer[] {
  const { words, wordStarts, postingStarts, postings } = lists;
  const allPairs = Buffer.concat(pairs);
  const numbers = [wordStarts, postingStarts, postings].map(bytesOf);
  const table: z.infer<typeof Table> = {
    threads: [...threads],
    wordsBytes: words.length,
    wordsCrc: crc32(words),
    wordCount: wordStarts.length - 1,
    postingCount: postings.length,
    numbersCrc: numbers.reduce((crc, part) => crc32(part, crc), 0),
    pairsBytes: allPairs.length,
    pairsCrc: crc32(allPairs),
    textsBytes: texts.length,
  };
  const json = Buffer.from(JSON.stringify(table));
  const prefix = Buffer.alloc(prefixBytes);
  magic.copy(prefix);
  prefix.writeUInt32LE(json.length, magic.length);
  prefix.writeUInt32LE(crc32(json), magic.length + 4);
  return [Buffer.concat([prefix, json, words, ...numbers, allPairs]), texts];
}

/** A segment: its table, words and pairs in memory, its texts read from disk when they are shown. */
export class TextSegment {
  private handle: number | undefined;
  private lastRead: Buffer = Buffer.alloc(0);

  private constructor(
    readonly file: string,
    readonly threads: readonly SegmentThread[],
    readonly lists: WordLists,
    readonly pairs: Buffer,
    private readonly textsAt: number,
    /** On disk, or that it would have there. */
    readonly bytes: number,
    /** Of one that is on no disk. */
    private readonly texts?: Buffer,
  ) {}

  /** One that is on no disk; `file` is only a name. Copies what the content shares. */
  static inMemory(file: string, { lists, pairs, texts, threads }: SegmentContent): TextSegment {
    const allPairs = Buffer.concat(pairs);
    const bytes = lists.words.length + allPairs.length + texts.length;
    return new TextSegment(file, threads, lists, allPairs, 0, bytes, Buffer.from(texts));
  }

  /** How much memory the texts of one that is on no disk take. */
  get textsInMemory(): number {
    return this.texts?.length ?? 0;
  }

  /** @throws IndexFileError when it is damaged; Error of Node.js when it cannot be read */
  static load(file: string): TextSegment {
    const handle = openSync(file, 'r');
    try {
      const prefix = readAt(handle, 0, newBuffer(prefixBytes));
      if (!prefix.subarray(0, magic.length).equals(magic)) throw new IndexFileError('it is of another version');
      const json = readAt(handle, prefixBytes, newBuffer(prefix.readUInt32LE(magic.length)));
      if (crc32(json) !== prefix.readUInt32LE(magic.length + 4)) throw new IndexFileError('its table is damaged');
      const table = Table.parse(JSON.parse(json.toString('utf8')));
      const wordsAt = prefixBytes + json.length;
      const words = readAt(handle, wordsAt, newBuffer(table.wordsBytes));
      if (crc32(words) !== table.wordsCrc) throw new IndexFileError('its words are damaged');
      const numbersAt = wordsAt + table.wordsBytes;
      const counts = [table.wordCount + 1, table.wordCount + 1, table.postingCount] as const;
      const numbers = readAt(handle, numbersAt, newBuffer((counts[0] + counts[1] + counts[2]) * numberBytes));
      if (crc32(numbers) !== table.numbersCrc) throw new IndexFileError('its words are damaged');
      const pairsAt = numbersAt + numbers.length;
      const pairs = readAt(handle, pairsAt, newBuffer(table.pairsBytes));
      if (crc32(pairs) !== table.pairsCrc) throw new IndexFileError('its pairs are damaged');
      const textsAt = pairsAt + table.pairsBytes;
      const bytes = textsAt + table.textsBytes;
      if (statSync(file).size !== bytes) throw new IndexFileError('it is not complete');
      const all = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length / numberBytes);
      const lists = {
        words,
        wordStarts: all.subarray(0, counts[0]),
        postingStarts: all.subarray(counts[0], counts[0] + counts[1]),
        postings: all.subarray(counts[0] + counts[1]),
      };
      return new TextSegment(file, table.threads, lists, pairs, textsAt, bytes);
    } finally {
      closeSync(handle);
    }
  }

  /** See `mayFollow`. */
  pairsOf({ pairsStart, workPairsStart, pairsEnd }: SegmentThread, part: ThreadPart): Buffer {
    return part === 'conversation'
      ? this.pairs.subarray(pairsStart, workPairsStart)
      : this.pairs.subarray(workPairsStart, pairsEnd);
  }

  /** Until the next ones are read. @throws Error of Node.js when the file is gone */
  readTexts({ textsStart, workStart, textsEnd }: SegmentThread, part: ThreadPart | 'all'): Buffer {
    const start = part === 'work' ? workStart : textsStart;
    const end = part === 'conversation' ? workStart : textsEnd;
    if (this.texts) return this.texts.subarray(start, end);
    this.handle ??= openSync(this.file, 'r');
    if (this.lastRead.length < end - start) this.lastRead = newBuffer(end - start);
    return readAt(this.handle, this.textsAt + start, this.lastRead.subarray(0, end - start));
  }

  /** Closes what reading has opened; reading opens it again. */
  close(): void {
    if (this.handle !== undefined) closeSync(this.handle);
    this.handle = undefined;
    this.lastRead = Buffer.alloc(0);
  }
}

/** As this machine has them, which reads them again. */
function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Of its own memory, so that numbers in it are aligned. */
function newBuffer(length: number): Buffer {
  // A length that a damaged prefix says may be any.
  if (length > 2 ** 30) throw new IndexFileError('it is damaged');
  return Buffer.allocUnsafeSlow(length);
}

/** Fills it, and returns it. */
function readAt(handle: number, position: number, content: Buffer): Buffer {
  if (readSync(handle, content, 0, content.length, position) !== content.length)
    throw new IndexFileError('it is cut off');
  return content;
}
