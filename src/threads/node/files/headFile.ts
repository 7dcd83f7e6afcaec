import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { parseJson } from '../../../base/common/parseJson';
import type { ThreadHead } from '../../common/threadPorts';
import { IndexFileError } from '../../../texts/node/files/indexFileError';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';

/**
 * The file with the heads of all threads: a header line with a checksum, then one JSON line for each thread file. It is
 * always written completely.
 */

/** Name of the file in the index folder. */
export const headFileName = 'heads.jsonl';

/** Version of the file. Increment it when the content or the encoding of a head changes. */
const version = 3;
const kind = 'backline thread heads';
const headFileHeader = z.object({ kind: z.literal(kind), version: z.number(), crc: z.number() });

export interface StoredHead {
  readonly file: FileVersionKey;
  /** The head of the thread. Null if Amp hides the thread. */
  readonly head: ThreadHead | null;
}

export function encodeHeads(heads: Iterable<StoredHead>): Buffer {
  return encodeLines([...heads].map(lineOf));
}

/** Replaces or adds `heads`, and removes the paths in `gone`. Does not parse unchanged heads. @throws IndexFileError */
export function mergeHeads(content: Buffer, heads: readonly StoredHead[], gone: readonly string[]): Buffer {
  const known = verifyChecksumAndGetBody(content)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const lines = new Map(known.map((line) => [pathOf(line), line]));
  for (const path of gone) lines.delete(path);
  for (const stored of heads) lines.set(stored.file.path, lineOf(stored));
  return encodeLines([...lines.values()]);
}

function lineOf({ file: { path, sizeBytes, mtimeMs }, head }: StoredHead): string {
  return JSON.stringify({ file: { path, sizeBytes, mtimeMs }, head });
}

/** Extracts the path from a line that `lineOf` has written. Does not parse the rest of the line. */
function pathOf(line: string): string {
  const text = /^\{"file":\{"path":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (text === undefined) throw new IndexFileError('it contains an invalid line');
  return z.string().parse(JSON.parse(text));
}

function encodeLines(lines: readonly string[]): Buffer {
  const body = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const header = { kind, version, crc: crc32(body) } satisfies z.infer<typeof headFileHeader>;
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

/** Returns the lines after the header. @throws IndexFileError if the header or the checksum is wrong */
export function verifyChecksumAndGetBody(content: Buffer): Buffer {
  const end = content.indexOf('\n');
  const { data } = headFileHeader.safeParse(parseJson(content.toString('utf8', 0, Math.max(end, 0))));
  if (!data) throw new IndexFileError('its header is invalid');
  if (data.version !== version) throw new IndexFileError(`it has version ${data.version} instead of ${version}`);
  const body = content.subarray(end + 1);
  if (crc32(body) !== data.crc) throw new IndexFileError('it is damaged');
  return body;
}
