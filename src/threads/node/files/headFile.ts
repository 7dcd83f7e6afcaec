import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { parseJson } from '../../../base/common/parseJson';
import type { ThreadHead } from '../../common/threadPorts';
import type { FileKey } from './fileKey';

/**
 * The heads of all threads on disk: a line that says what follows, then a line for each file. It is written as a whole; a
 * checksum tells a damaged one.
 */

/** In the folder of the index. */
export const headFileName = 'heads.jsonl';

/** To be raised when what a head says, or how it is written, changes. */
const version = 3;
const kind = 'backline thread heads';
const headFileHeader = z.object({ kind: z.literal(kind), version: z.number(), crc: z.number() });

/** A file and what it says of itself; null for one that is not listed. */
export interface StoredHead {
  readonly file: FileKey;
  readonly head: ThreadHead | null;
}

/** What is wrong with an index on disk; it is made anew then. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
}

export function encodeHeads(heads: Iterable<StoredHead>): Buffer {
  return encodeLines([...heads].map(lineOf));
}

/**
 * What was written before, with these heads in the place of those of the same files, and without those that are gone. What
 * has not changed is not looked into.
 * @throws IndexFileError
 */
export function mergeHeads(content: Buffer, heads: readonly StoredHead[], gone: readonly string[]): Buffer {
  const lines = new Map(
    checkedBody(content)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [pathOf(line), line]),
  );
  for (const path of gone) lines.delete(path);
  for (const stored of heads) lines.set(stored.file.path, lineOf(stored));
  return encodeLines([...lines.values()]);
}

function lineOf({ file: { path, sizeBytes, mtimeMs }, head }: StoredHead): string {
  return JSON.stringify({ file: { path, sizeBytes, mtimeMs }, head });
}

/** Of a line as `lineOf` makes it. */
function pathOf(line: string): string {
  const text = /^\{"file":\{"path":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (text === undefined) throw new IndexFileError('a line is not what was written');
  return z.string().parse(JSON.parse(text));
}

function encodeLines(lines: readonly string[]): Buffer {
  const body = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const header = { kind, version, crc: crc32(body) } satisfies z.infer<typeof headFileHeader>;
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

const newline = 0x0a;

/** Its lines, if they are what was written. @throws IndexFileError */
export function checkedBody(content: Buffer): Buffer {
  const end = content.indexOf(newline);
  const { data } = headFileHeader.safeParse(parseJson(content.toString('utf8', 0, Math.max(end, 0))));
  if (!data) throw new IndexFileError('it does not begin as an index does');
  if (data.version !== version) throw new IndexFileError(`it has version ${data.version}, this is ${version}`);
  const body = content.subarray(end + 1);
  if (crc32(body) !== data.crc) throw new IndexFileError('it is damaged');
  return body;
}
