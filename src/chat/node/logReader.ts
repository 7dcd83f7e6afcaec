import * as z from 'zod';
import { countOf } from '../../base/common/countOf';
import { parseJson } from '../../base/common/parseJson';
import { LogNormalizer } from '../common/conversation/logNormalizer';
import { LogRecord, logVersion } from '../common/conversation/logRecord';
import type { FilePort } from './filePort';

interface ReadLog {
  /** Their events are in the normal form of a session, whatever version has written them. */
  readonly records: readonly LogRecord[];
  /** What could not be read, for the user. */
  readonly damage: string | undefined;
  /** A later version of Backline has written it. */
  readonly isNewer: boolean;
}

/** A longer line is no record of ours. */
const maxLineBytes = 64 * 1024 * 1024;
const Version = z.object({ type: z.literal('begin'), version: z.number() });

/** Reads a log, and reads on what is written to it later. */
export class LogReader {
  private readonly normalizer = new LogNormalizer();

  /** `offset` is where it begins, in bytes. */
  constructor(
    private readonly files: FilePort,
    private readonly file: string,
    private offset = 0,
  ) {}

  /** Behind the last whole line, in bytes: writing goes on there. */
  get end(): number {
    return this.offset;
  }

  /**
   * All that can be read of what is new, whatever has happened to it. `isBeingWritten`: a line that ends nowhere is no
   * damage. @throws errors of the file port
   */
  async read(isBeingWritten = false): Promise<ReadLog> {
    const records: LogRecord[] = [];
    const start = this.offset;
    let end = start;
    let unread = 0;
    let isTorn = false;
    let isNewer = false;
    for await (const { text, endOffset, isWhole } of linesOf(this.files.chunks(this.file, undefined, start))) {
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
    // Not before: what could be read of it only in part is read again.
    this.offset = end;
    const damage = damageOf(unread, isTorn && !isBeingWritten, isNewer);
    return { records: records.flatMap((record) => this.normalizer.normalized(record)), damage, isNewer };
  }
}

interface Line {
  readonly text: string;
  /** Behind its line feed, in bytes. */
  readonly endOffset: number;
  /** False for what follows the last line feed. */
  readonly isWhole: boolean;
}

/** Lines that are too long come as empty ones. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
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
  const said = [
    ...(unread > 0 ? [`${countOf(unread, 'entry', 'entries')} of this conversation could not be read.`] : []),
    ...(isTorn ? ['Its last entry is incomplete.'] : []),
  ];
  return said.length > 0 ? `${said.join(' ')} Everything else is shown.` : undefined;
}
