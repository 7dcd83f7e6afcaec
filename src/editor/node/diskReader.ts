import { isAscii } from 'node:buffer';
import { constants, readlinkSync, type BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { errorCode, wordsOf } from '../../base/common/errors';
import { openFlags } from '../../base/node/openFlags';
import { EditorError, type FileStat, isEditorError } from '../common/editorPort';
import type { CheckedPath } from './pathGuard';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = openFlags;
/** Enough to see that a file is not text. */
const sniffBytes = 8 * 1024;
/** Between two of these, a read can be given up. */
const chunkBytes = 4 * 1024 * 1024;
export const defaultMaxBytes = 32 * 1024 * 1024;

/** Bytes of one regular file on disk, at one moment. */
export interface DiskFile {
  readonly bytes: Buffer;
  readonly info: BigIntStats;
  /** Where the open file really was, whatever name it was opened by; undefined where the system does not tell. */
  readonly place: string | undefined;
}

export interface DiskRange {
  readonly offset?: number;
  readonly limit?: number;
  /** Refuse to read more than this at once; default 32 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads the part of a file that is asked for. Opening does not wait for the other end of a FIFO, does not follow a link
 * that took the place of the file, and what is not a regular file is not read. A folder of the path may have become a
 * link since the check: `place` tells.
 * @throws EditorError `notFound`, `isDirectory`, `notAFile`, `tooLarge`, `io`, `cancelled`
 */
export async function readDisk(file: CheckedPath, range: DiskRange = {}, signal?: AbortSignal): Promise<DiskFile> {
  return await guarded(file, async () => {
    const handle = await open(file.realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const place = placeOf(handle);
      const info = await handle.stat({ bigint: true });
      checkRegular(file, info);
      const size = Number(info.size);
      const offset = Math.min(Math.max(range.offset ?? 0, 0), size);
      const wanted = Math.min(Math.max(range.limit ?? size, 0), size - offset);
      const maxBytes = range.maxBytes ?? defaultMaxBytes;
      if (wanted > maxBytes) {
        throw new EditorError('tooLarge', `${file.path} has ${wanted} bytes; at most ${maxBytes} are read at once.`);
      }
      return { bytes: await readFully(handle, offset, wanted, signal), info, place };
    } finally {
      await handle.close();
    }
  });
}

/** @throws EditorError `notFound`, `io` */
export async function statDisk(file: CheckedPath): Promise<Omit<FileStat, 'isDirty'>> {
  const info = await guarded(file, () => stat(file.realPath, { bigint: true }));
  return {
    path: file.path,
    type: info.isFile() ? 'file' : info.isDirectory() ? 'directory' : 'other',
    size: Number(info.size),
    mtime: Number(info.mtimeMs),
    version: diskVersion(info),
  };
}

/** What VS Code goes by when it saves: the owner's permission, whoever runs it. @throws EditorError `notFound`, `io` */
export async function isWritable(file: CheckedPath): Promise<boolean> {
  const { mode } = await guarded(file, () => stat(file.realPath));
  return (mode & constants.S_IWUSR) !== 0;
}

/** Changes whenever the file is written or replaced. */
export function diskVersion({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `disk:${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * The text of bytes. `decode` knows encodings other than UTF-8; plain ASCII needs nobody.
 * @throws EditorError `notText` for bytes that are no text
 */
export async function decodeText(
  path: string,
  bytes: Buffer,
  decode: (bytes: Uint8Array, path: string) => Promise<string>,
): Promise<string> {
  const hasNul = bytes.subarray(0, sniffBytes).includes(0);
  if (hasNul && !hasUtf16Mark(bytes)) {
    throw new EditorError('notText', `${path} holds binary data. Read its bytes instead.`);
  }
  if (!hasNul && isAscii(bytes)) return bytes.toString('latin1');
  const text = await decode(bytes, path);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function hasUtf16Mark(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Where an open file is. Linux tells, from memory: no disk is asked. */
export function placeOf(handle: FileHandle): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${handle.fd}`);
  } catch {
    return undefined;
  }
}

function checkRegular(file: CheckedPath, info: BigIntStats): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw new EditorError('isDirectory', `${file.path} is a folder. Name a file in it.`);
  throw new EditorError('notAFile', `${file.path} is not a regular file, so it is not read.`);
}

async function readFully(
  handle: FileHandle,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    if (signal?.aborted) throw new EditorError('cancelled', 'The request was given up.', { cause: signal.reason });
    const wanted = Math.min(length - done, chunkBytes);
    const { bytesRead } = await handle.read(buffer, done, wanted, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

async function guarded<T>(file: CheckedPath, work: () => Promise<T>): Promise<T> {
  if (!file.exists) throw notFound(file.path);
  try {
    return await work();
  } catch (error) {
    if (isEditorError(error)) throw error;
    const code = errorCode(error);
    if (code === 'ENOENT') throw notFound(file.path);
    // What a FIFO without a writer, a socket or a device without a driver say when opened.
    if (code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP') {
      throw new EditorError('notAFile', `${file.path} is not a regular file, so it is not read.`);
    }
    throw new EditorError('io', `${file.path} cannot be read: ${wordsOf(error)}`, { cause: error });
  }
}

export function notFound(path: string): EditorError {
  return new EditorError('notFound', `${path} does not exist.`);
}
