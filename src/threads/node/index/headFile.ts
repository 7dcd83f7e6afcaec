import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { Usage } from '../../../transcript/common/entries';
import type { ThreadHead } from '../../common/threadPorts';
import { FileKey } from './fileKey';

/**
 * The heads of all threads on disk: a line that says what follows, then a line for each file. It is written as a whole; a
 * checksum tells a damaged one.
 */

/** To be raised when what a head says, or how it is written, changes. */
const version = 2;
const kind = 'backline thread heads';
const headFileHeader = z.object({ kind: z.literal(kind), version: z.number(), crc: z.number() });

const text = z.string().exactOptional();
const number = z.number().exactOptional();
const head = z.object({
  id: z.string(),
  source: z.enum(['local', 'cli', 'file']),
  path: text,
  sizeBytes: number,
  mtimeMs: number,
  title: text,
  firstPrompt: text,
  folders: z.array(z.string()),
  repository: text,
  branch: text,
  createdAt: number,
  lastPromptAt: z.number(),
  promptCount: z.number(),
  messageCount: z.number(),
  mode: text,
  model: text,
  usage: z.exactOptional(Usage),
  hasChanges: z.boolean(),
  isArchived: z.boolean(),
  state: z.enum(['idle', 'running', 'waiting', 'stale', 'cancelled', 'error']),
  relations: z.array(
    z.object({
      type: z.enum(['fork', 'handoff', 'mention', 'subthread']),
      role: z.enum(['parent', 'child']),
      threadId: z.string(),
    }),
  ),
  problem: text,
}) satisfies z.ZodType<ThreadHead>;

/** A file and what it says of itself; null for one that is not listed. */
export const StoredHead = z.object({ file: FileKey, head: head.nullable() });
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

/** One by one, so that who reads them can pause. @throws IndexFileError */
export function* decodeHeads(content: Buffer): Generator<StoredHead, void> {
  const body = checkedBody(content);
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(newline, start);
    if (end < 0) throw new IndexFileError('it ends in the middle of a line');
    const { data } = StoredHead.safeParse(parsed(body.toString('utf8', start, end)));
    if (!data) throw new IndexFileError('a line is not what was written');
    yield data;
    start = end + 1;
  }
}

const newline = 0x0a;

function checkedBody(content: Buffer): Buffer {
  const end = content.indexOf(newline);
  const { data } = headFileHeader.safeParse(parsed(content.toString('utf8', 0, Math.max(end, 0))));
  if (!data) throw new IndexFileError('it does not begin as an index does');
  if (data.version !== version) throw new IndexFileError(`it has version ${data.version}, this is ${version}`);
  const body = content.subarray(end + 1);
  if (crc32(body) !== data.crc) throw new IndexFileError('it is damaged');
  return body;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
