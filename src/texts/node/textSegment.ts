import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { FileVersionKey } from './files/fileKey';
import { IndexFileError } from './files/indexFileError';
import type { WordIndex } from './wordTable';

/**
 * A segment file of the text index. It is written once and never changed. It contains a table of documents, all words and
 * the documents that contain them, filters of consecutive words for each document, and the texts.
 *
 *     magic, length and checksum of the table ─ table ─ words ─ numbers ─ pairs ─ texts
 *
 * Each word occurs once, between newlines, so a simple byte search for `\nword` finds all words that begin with `word`.
 * The numbers are first the offsets of words and postings, and then the postings. For each document, the texts of the
 * conversation come before all others.
 */

const magic = Buffer.from('BLTEXT5\n');
const prefixBytes = magic.length + 8;
const numberBytes = 4;
const Position = z.int().check(z.nonnegative());

/** A document in a segment. Positions are byte offsets in the segment's sections `pairs` and `texts` (see above). */
export const SegmentDocument = z.object({
  file: FileVersionKey,
  documentId: z.string(),
  title: z.string(),
  lastPromptAt: z.number(),
  pairsStart: Position,
  workPairsStart: Position,
  pairsEnd: Position,
  textsStart: Position,
  workStart: Position,
  textsEnd: Position,
});
export type SegmentDocument = z.infer<typeof SegmentDocument>;
export type DocumentTextPart = 'conversation' | 'work';

const Table = z.object({
  documents: z.array(SegmentDocument),
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
  readonly documents: readonly SegmentDocument[];
  readonly wordIndex: WordIndex;
  readonly pairs: readonly Buffer[];
  readonly texts: Buffer;
}

/** Encodes a segment. Returns buffers that must be written one after another. */
export function encodeSegment({ documents, wordIndex, pairs, texts }: SegmentContent): readonly Buffer[] {
  const { words, wordStarts, postingStarts, postings } = wordIndex;
  const allPairs = Buffer.concat(pairs);
  const numbers = [wordStarts, postingStarts, postings].map(bytesOf);
  const table: z.infer<typeof Table> = {
    documents: [...documents],
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

/** A loaded segment. Its texts stay on disk and are read when needed. */
export class TextSegment {
  private fileHandle: number | undefined;
  private readBuffer: Buffer = Buffer.alloc(0);

  private constructor(
    readonly file: string,
    readonly documents: readonly SegmentDocument[],
    readonly wordIndex: WordIndex,
    readonly pairs: Buffer,
    private readonly textsStart: number,
    readonly sizeBytes: number,
    /** The texts, if the segment is not on disk. */
    private readonly memoryTexts?: Buffer,
  ) {}

  /** Creates a segment that is not on disk. `file` is only used as a name. Copies the texts. */
  static createInMemory(file: string, { wordIndex, pairs, texts, documents }: SegmentContent): TextSegment {
    const allPairs = Buffer.concat(pairs);
    const sizeBytes = wordIndex.words.length + allPairs.length + texts.length;
    return new TextSegment(file, documents, wordIndex, allPairs, 0, sizeBytes, Buffer.from(texts));
  }

  /** Size of the texts in memory, in bytes. 0 for a segment on disk. */
  get memoryBytes(): number {
    return this.memoryTexts?.length ?? 0;
  }

  /** Loads a segment. @throws IndexFileError if the file is damaged; Error of Node.js if it cannot be read */
  static load(file: string): TextSegment {
    const handle = openSync(file, 'r');
    try {
      const prefix = readAt(handle, 0, newBuffer(prefixBytes));
      if (!prefix.subarray(0, magic.length).equals(magic)) throw new IndexFileError('it has another version');
      const json = readAt(handle, prefixBytes, newBuffer(prefix.readUInt32LE(magic.length)));
      if (crc32(json) !== prefix.readUInt32LE(magic.length + 4)) throw new IndexFileError('its table is damaged');
      const table = Table.parse(JSON.parse(json.toString('utf8')));
      const wordsStart = prefixBytes + json.length;
      const words = readAt(handle, wordsStart, newBuffer(table.wordsBytes));
      if (crc32(words) !== table.wordsCrc) throw new IndexFileError('its words are damaged');
      const numbersStart = wordsStart + table.wordsBytes;
      const counts = [table.wordCount + 1, table.wordCount + 1, table.postingCount] as const;
      const numbers = readAt(handle, numbersStart, newBuffer((counts[0] + counts[1] + counts[2]) * numberBytes));
      if (crc32(numbers) !== table.numbersCrc) throw new IndexFileError('its words are damaged');
      const pairsStart = numbersStart + numbers.length;
      const pairs = readAt(handle, pairsStart, newBuffer(table.pairsBytes));
      if (crc32(pairs) !== table.pairsCrc) throw new IndexFileError('its pairs are damaged');
      const textsStart = pairsStart + table.pairsBytes;
      const sizeBytes = textsStart + table.textsBytes;
      if (statSync(file).size !== sizeBytes) throw new IndexFileError('it is not complete');
      const all = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length / numberBytes);
      const wordIndex = {
        words,
        wordStarts: all.subarray(0, counts[0]),
        postingStarts: all.subarray(counts[0], counts[0] + counts[1]),
        postings: all.subarray(counts[0] + counts[1]),
      };
      return new TextSegment(file, table.documents, wordIndex, pairs, textsStart, sizeBytes);
    } finally {
      closeSync(handle);
    }
  }

  /** Returns the pair filter of a part of the document; see `mayContainSequence`. */
  pairFilterOf({ pairsStart, workPairsStart, pairsEnd }: SegmentDocument, part: DocumentTextPart): Buffer {
    return part === 'conversation'
      ? this.pairs.subarray(pairsStart, workPairsStart)
      : this.pairs.subarray(workPairsStart, pairsEnd);
  }

  /** Returns a buffer with the texts, valid until the next call. @throws Error of Node.js if the file is gone */
  readTexts({ textsStart, workStart, textsEnd }: SegmentDocument, part: DocumentTextPart | 'all'): Buffer {
    const start = part === 'work' ? workStart : textsStart;
    const end = part === 'conversation' ? workStart : textsEnd;
    if (this.memoryTexts) return this.memoryTexts.subarray(start, end);
    this.fileHandle ??= openSync(this.file, 'r');
    if (this.readBuffer.length < end - start) this.readBuffer = newBuffer(end - start);
    return readAt(this.fileHandle, this.textsStart + start, this.readBuffer.subarray(0, end - start));
  }

  /** Closes the file. `readTexts` opens it again if needed. */
  close(): void {
    if (this.fileHandle !== undefined) closeSync(this.fileHandle);
    this.fileHandle = undefined;
    this.readBuffer = Buffer.alloc(0);
  }
}

/** Returns the bytes of numbers in this machine's byte order. No other machine reads the segments. */
function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Allocates a buffer with its own memory, so that the numbers in it are aligned. */
function newBuffer(length: number): Buffer {
  // A damaged prefix may contain any length.
  if (length > 2 ** 30) throw new IndexFileError('it is damaged');
  return Buffer.allocUnsafeSlow(length);
}

/** Reads from a file until `target` is full. Returns `target`. */
function readAt(handle: number, position: number, target: Buffer): Buffer {
  const bytesRead = readSync(handle, target, 0, target.length, position);
  if (bytesRead !== target.length) throw new IndexFileError('it is truncated');
  return target;
}
