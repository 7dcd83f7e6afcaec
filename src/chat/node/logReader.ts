import * as z from 'zod';
import { countWithNoun } from '../../base/common/countWithNoun';
import { parseJson } from '../../base/common/parseJson';
import { LogNormalizer } from './logNormalizer';
import { LogRecord, logVersion } from '../common/conversation/logRecord';
import type { FilePort } from '../../base/node/filePort';

interface ReadLog {
  /** The records with normalized events, for all versions of the log. */
  readonly records: readonly LogRecord[];
  /** Message for the user if parts of the log could not be read. */
  readonly damage: string | undefined;
  /** Whether a newer version of Backline has written the log. */
  readonly isNewer: boolean;
}

/** Maximum length of a line, in bytes. Longer lines are skipped. */
const maxLineBytes = 64 * 1024 * 1024;
const Version = z.object({ type: z.literal('begin'), version: z.number() });

/** Reads a log, and later the records that were appended to it. */
export class LogReader {
  private readonly logNormalizer = new LogNormalizer();

  /** `offset` is the position at which reading starts, in bytes. */
  constructor(
    private readonly files: FilePort,
    private readonly file: string,
    private offset = 0,
  ) {}

  /** Offset after the last complete line, in bytes. Writing continues there. */
  get endOffset(): number {
    return this.offset;
  }

  /** Reads all new records. `isBeingWritten`: an incomplete last line is no damage. @throws errors of the file port */
  async read(isBeingWritten = false): Promise<ReadLog> {
    const records: LogRecord[] = [];
    const start = this.offset;
    let end = start;
    let unread = 0;
    let isTorn = false;
    let isNewer = false;
    for await (const { text, endOffset, isWhole } of readLines(this.files.readChunks(this.file, undefined, start))) {
      if (!isWhole) {
        isTorn = true;
        continue;
      }
      end = start + endOffset;
      if (text === '') continue;
      const value = parseJson(text);
      const parsed = LogRecord.safeParse(value);
      if (parsed.success) records.push(parsed.data);
      else unread++;
      if ((Version.safeParse(value).data?.version ?? 0) > logVersion) isNewer = true;
    }
    // The offset is set at the end, so that a read that failed is repeated.
    this.offset = end;
    const damage = damageOf(unread, isTorn && !isBeingWritten, isNewer);
    return { records: records.flatMap((record) => this.logNormalizer.normalize(record)), damage, isNewer };
  }
}

interface Line {
  readonly text: string;
  /** Offset after the line feed, in bytes. */
  readonly endOffset: number;
  /** Whether the line ends with a line feed. False for the text after the last one. */
  readonly isWhole: boolean;
}

/** Splits a file into lines. Lines that are too long are returned as empty. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let size = 0;
  let offset = 0;
  const take = (): string => {
    const text = size > maxLineBytes ? '' : decoder.decode(Buffer.concat(parts));
    parts = [];
    size = 0;
    return text;
  };
  const add = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size <= maxLineBytes) parts.push(bytes);
    else parts = [];
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const feed = chunk.indexOf(10, start);
      if (feed === -1) break;
      add(chunk.subarray(start, feed));
      start = feed + 1;
      yield { text: take(), endOffset: offset + start, isWhole: true };
    }
    add(chunk.subarray(start));
    offset += chunk.length;
  }
  if (size > 0) yield { text: take(), endOffset: offset, isWhole: false };
}

function damageOf(unread: number, isTorn: boolean, isNewer: boolean): string | undefined {
  if (isNewer) return 'This conversation was written by a newer version of Backline. Some of it may not be shown.';
  const sentences = [
    ...(unread > 0 ? [`${countWithNoun(unread, 'entry', 'entries')} in this conversation could not be read.`] : []),
    ...(isTorn ? ['Its last entry is incomplete.'] : []),
  ];
  return sentences.length > 0 ? `${sentences.join(' ')} Everything else is shown.` : undefined;
}
