import * as z from 'zod';
import { countOf } from '../../base/common/countOf';
import { parseJson } from '../../base/common/parseJson';
import { LogRecord, logVersion } from '../common/conversation/logRecord';
import type { FilePort } from './filePort';

interface ReadLog {
  readonly records: readonly LogRecord[];
  /** Behind the last whole line, in bytes: writing goes on there. */
  readonly end: number;
  /** What could not be read, for the user. */
  readonly damage: string | undefined;
  /** A later version of Backline has written it. */
  readonly isNewer: boolean;
}

interface ReadLogOptions {
  /** In bytes; default the beginning. */
  readonly start?: number;
  /** A line that ends nowhere is no damage. */
  readonly isBeingWritten?: boolean;
}

/** A longer line is no record of ours. */
const maxLineBytes = 64 * 1024 * 1024;
const Version = z.object({ type: z.literal('begin'), version: z.number() });

/** All that can be read of a log whatever has happened to it. @throws errors of the file port */
export async function readLog(
  files: FilePort,
  file: string,
  { isBeingWritten = false, start = 0 }: ReadLogOptions = {},
): Promise<ReadLog> {
  const records: LogRecord[] = [];
  let unread = 0;
  let end = start;
  let isTorn = false;
  let isNewer = false;
  for await (const { text, endOffset, isWhole } of linesOf(files.chunks(file, undefined, start))) {
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
  return { records, end, damage: damageOf(unread, isTorn && !isBeingWritten, isNewer), isNewer };
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
  if (isNewer)
    return 'A newer version of Backline has written this conversation. What this version understands is shown.';
  const said = [
    ...(unread > 0 ? [`${countOf(unread, 'entry', 'entries')} of this conversation could not be read.`] : []),
    ...(isTorn ? ['Its last entry was cut off while it was written.'] : []),
  ];
  return said.length > 0 ? `${said.join(' ')} Everything else is here.` : undefined;
}
