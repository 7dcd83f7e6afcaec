import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { FileKey } from './fileKey';
import { IndexFileError } from './headFile';

/**
 * A file of the text index: a table of threads, the words of each (what a search looks through), which of them follow each
 * other, and the texts (what it shows). It is written once and never changed.
 *
 *     magic, length and checksum of the table ─ table ─ words of all threads ─ pairs ─ texts
 *
 * The words of a thread are three lists, of its title, its prompts and its answers, each word once and in the first of them,
 * between line ends: a search for `\nword` finds it with the speed of a plain byte search, and where it counts most.
 */

const magic = Buffer.from('BLTEXT2\n');
const prefixBytes = magic.length + 8;
const Position = z.int().check(z.nonnegative());

/** Positions are bytes, of the words, the pairs or the texts. */
export const SegmentThread = z.object({
  file: FileKey,
  threadId: z.string(),
  title: z.string(),
  lastPromptAt: z.number(),
  titleStart: Position,
  promptStart: Position,
  answerStart: Position,
  wordsEnd: Position,
  pairsStart: Position,
  pairsEnd: Position,
  textsStart: Position,
  textsEnd: Position,
});
export type SegmentThread = z.infer<typeof SegmentThread>;

const Table = z.object({
  threads: z.array(SegmentThread),
  wordsBytes: Position,
  wordsCrc: z.number(),
  pairsBytes: Position,
  pairsCrc: z.number(),
  textsBytes: Position,
});

export interface SegmentContent {
  readonly threads: readonly SegmentThread[];
  readonly words: Buffer;
  readonly pairs: Buffer;
  readonly texts: Buffer;
}

export function encodeSegment({ threads, words, pairs, texts }: SegmentContent): Buffer {
  const table: z.infer<typeof Table> = {
    threads: [...threads],
    wordsBytes: words.length,
    wordsCrc: crc32(words),
    pairsBytes: pairs.length,
    pairsCrc: crc32(pairs),
    textsBytes: texts.length,
  };
  const json = Buffer.from(JSON.stringify(table));
  const prefix = Buffer.alloc(prefixBytes);
  magic.copy(prefix);
  prefix.writeUInt32LE(json.length, magic.length);
  prefix.writeUInt32LE(crc32(json), magic.length + 4);
  return Buffer.concat([prefix, json, words, pairs, texts]);
}

/** A segment on disk: its table, words and pairs in memory, its texts read when they are shown. */
export class TextSegment {
  private handle: number | undefined;

  private constructor(
    readonly file: string,
    readonly threads: readonly SegmentThread[],
    readonly words: Buffer,
    readonly pairs: Buffer,
    private readonly textsAt: number,
  ) {}

  get wordsBytes(): number {
    return this.words.length;
  }

  /** @throws IndexFileError when it is damaged; Error of Node.js when it cannot be read */
  static load(file: string): TextSegment {
    const handle = openSync(file, 'r');
    try {
      const prefix = readAt(handle, 0, prefixBytes);
      if (!prefix.subarray(0, magic.length).equals(magic)) throw new IndexFileError('it is of another version');
      const json = readAt(handle, prefixBytes, prefix.readUInt32LE(magic.length));
      if (crc32(json) !== prefix.readUInt32LE(magic.length + 4)) throw new IndexFileError('its table is damaged');
      const table = Table.parse(JSON.parse(json.toString('utf8')));
      const wordsAt = prefixBytes + json.length;
      const words = readAt(handle, wordsAt, table.wordsBytes);
      if (crc32(words) !== table.wordsCrc) throw new IndexFileError('its words are damaged');
      const pairsAt = wordsAt + table.wordsBytes;
      const pairs = readAt(handle, pairsAt, table.pairsBytes);
      if (crc32(pairs) !== table.pairsCrc) throw new IndexFileError('its pairs are damaged');
      const textsAt = pairsAt + table.pairsBytes;
      if (statSync(file).size !== textsAt + table.textsBytes) throw new IndexFileError('it is not complete');
      return new TextSegment(file, table.threads, words, pairs, textsAt);
    } finally {
      closeSync(handle);
    }
  }

  /** @throws Error of Node.js when the file is gone */
  readTexts({ textsStart, textsEnd }: SegmentThread): Buffer {
    this.handle ??= openSync(this.file, 'r');
    return readAt(this.handle, this.textsAt + textsStart, textsEnd - textsStart);
  }

  /** Closes what reading has opened; reading opens it again. */
  close(): void {
    if (this.handle !== undefined) closeSync(this.handle);
    this.handle = undefined;
  }
}

function readAt(handle: number, position: number, length: number): Buffer {
  // A length that a damaged prefix says may be any.
  if (length > 2 ** 30) throw new IndexFileError('it is damaged');
  const content = Buffer.allocUnsafe(length);
  if (readSync(handle, content, 0, length, position) !== length) throw new IndexFileError('it is cut off');
  return content;
}
