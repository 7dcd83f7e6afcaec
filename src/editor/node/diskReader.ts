import { isAscii } from 'node:buffer';
import { constants, readlinkSync, type BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { errorCode, userMessageOf } from '../../base/common/errors';
import { openFlags } from '../../base/node/openFlags';
import { EditorError, isEditorError, throwIfCancelled, type FileStat } from '../common/editorPort';
import type { CheckedPath } from './pathGuard';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = openFlags;
/** Number of bytes at the start of a file that are searched for NUL bytes, which mark a binary file. */
const sniffBytes = 8 * 1024;
/** Size of one read. A read can be cancelled after each chunk. */
const chunkBytes = 4 * 1024 * 1024;
export const defaultMaxBytes = 32 * 1024 * 1024;

export interface DiskReadResult {
  readonly bytes: Buffer;
  readonly info: BigIntStats;
  /** The real path of the open file. Only Linux provides it. */
  readonly openPath: string | undefined;
}

export interface ByteRange {
  readonly offset?: number;
  readonly limit?: number;
  /** A read of more bytes fails with `tooLarge`; default 32 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads a range of a regular file. Does not follow a link at the end of the path, and does not block on a FIFO. The caller
 * must compare `openPath` with the checked path.
 * @throws EditorError `notFound`, `isDirectory`, `notAFile`, `tooLarge`, `io`, `cancelled`
 */
export async function readDisk(
  file: CheckedPath,
  range: ByteRange = {},
  signal?: AbortSignal,
): Promise<DiskReadResult> {
  return await withEditorErrors(file, async () => {
    const handle = await open(file.realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const openPath = pathOfOpenFile(handle);
      const info = await handle.stat({ bigint: true });
      checkRegular(file, info);
      const size = Number(info.size);
      const offset = Math.min(Math.max(range.offset ?? 0, 0), size);
      const wanted = Math.min(Math.max(range.limit ?? size, 0), size - offset);
      const maxBytes = range.maxBytes ?? defaultMaxBytes;
      if (wanted > maxBytes) {
        throw new EditorError('tooLarge', `${file.path} has ${wanted} bytes; at most ${maxBytes} are read at once.`);
      }
      return { bytes: await readFully(handle, offset, wanted, signal), info, openPath };
    } finally {
      await handle.close();
    }
  });
}

/** @throws EditorError `notFound`, `io` */
export async function statDisk(file: CheckedPath): Promise<Omit<FileStat, 'isDirty'>> {
  const info = await withEditorErrors(file, () => stat(file.realPath, { bigint: true }));
  return {
    path: file.path,
    type: info.isFile() ? 'file' : info.isDirectory() ? 'directory' : 'other',
    size: Number(info.size),
    modifiedAt: Number(info.mtimeMs),
    version: diskVersion(info),
  };
}

/** Checks the owner's write permission, as VS Code does before saving. @throws EditorError `notFound`, `io` */
export async function isWritable(file: CheckedPath): Promise<boolean> {
  const { mode } = await withEditorErrors(file, () => stat(file.realPath));
  return (mode & constants.S_IWUSR) !== 0;
}

/** Returns a token that changes whenever the file is written or replaced. */
export function diskVersion({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `disk:${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Decodes bytes and removes a byte order mark. Calls `decode` only for non-ASCII text. @throws EditorError `notText` */
export async function decodeText(
  path: string,
  bytes: Buffer,
  decode: (bytes: Uint8Array, path: string) => Promise<string>,
): Promise<string> {
  const hasNul = bytes.subarray(0, sniffBytes).includes(0);
  if (hasNul && !startsWithUtf16Bom(bytes)) {
    throw new EditorError('notText', `${path} is a binary file. Read its bytes instead.`);
  }
  if (!hasNul && isAscii(bytes)) return bytes.toString('latin1');
  const text = await decode(bytes, path);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

export function startsWithUtf16Bom(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** Returns the path of an open file, without disk access. Undefined on systems other than Linux. */
export function pathOfOpenFile(handle: FileHandle): string | undefined {
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
    throwIfCancelled(signal);
    const wanted = Math.min(length - done, chunkBytes);
    const { bytesRead } = await handle.read(buffer, done, wanted, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

async function withEditorErrors<T>(file: CheckedPath, work: () => Promise<T>): Promise<T> {
  if (!file.exists) throw notFoundError(file.path);
  try {
    return await work();
  } catch (error) {
    if (isEditorError(error)) throw error;
    const code = errorCode(error);
    if (code === 'ENOENT') throw notFoundError(file.path);
    // Errors from opening a FIFO without a writer, a socket or a device without a driver.
    if (code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP') {
      throw new EditorError('notAFile', `${file.path} is not a regular file, so it is not read.`);
    }
    throw new EditorError('io', `${file.path} cannot be read: ${userMessageOf(error)}`, { cause: error });
  }
}

export function notFoundError(path: string): EditorError {
  return new EditorError('notFound', `${path} does not exist.`);
}
