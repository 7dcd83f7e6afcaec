import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import type { Disposable } from '../common/disposable';
import { errorCode } from '../common/errors';
import { watchFolder } from './watchFolder';

/** Differs after each change of a file, unless that comes within the smallest step of the disk's clock. */
export interface FileVersion {
  /** Modification time in milliseconds since the epoch, with fractions. */
  readonly mtimeMs: number;
  readonly sizeBytes: number;
}

/** Bytes of a file from `start` up to `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

interface ChunkOptions {
  /** Each chunk is a part of this memory, so it is valid only until the next one. New memory by default. */
  readonly memory?: Uint8Array;
  /** What is not read, in the order of the file. */
  readonly skipped?: readonly ByteRange[];
}

/** Reads the bytes of one file in chunks, starting at byte `start`, which is 0 by default. */
export type ReadChunks = (start?: number, how?: ChunkOptions) => AsyncIterable<Uint8Array>;

/**
 * File operations in our own storage. Tests can replace them. Only the user can access the created files. Rejects with
 * Node.js errors.
 */
export interface FilePort {
  makeFolder(folder: string): Promise<void>;
  /** Returns the names in a folder. Empty if the folder does not exist. */
  listNames(folder: string): Promise<readonly string[]>;
  /** Returns the contents of a file. Undefined if it does not exist. */
  read(file: string): Promise<string | undefined>;
  /** Reads the file in chunks. `whileOpen` can read parts of it. */
  readChunks(file: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Opens a file for several reads by `work`. All of them read this file, also after another one was put in its place. On
   * Windows, it can be impossible to replace the file meanwhile. Resolves to what `work` does.
   */
  whileOpen<Result>(file: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result>;
  /** Writes at byte `offset` and removes everything after the written bytes. Creates the file only if `offset` is 0. */
  writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** Replaces a file atomically. Creates it if it does not exist. */
  replace(file: string, text: string): Promise<void>;
  /** Puts `source` in the place of `file` atomically, after all of it is on the disk. */
  replaceWith(source: string, file: string): Promise<void>;
  /** Creates a file with all its contents, or nothing. Resolves to false if the file exists. */
  createNew(file: string, text: string): Promise<boolean>;
  /** Moves a file or folder. Resolves to false if `from` does not exist. */
  moveIfExists(from: string, to: string): Promise<boolean>;
  touch(file: string): Promise<void>;
  /** Returns the modification time in milliseconds since the epoch. Undefined if the file does not exist. */
  modifiedAt(file: string): Promise<number | undefined>;
  /** Undefined if the file does not exist. */
  versionOf(file: string): Promise<FileVersion | undefined>;
  /** Removes a file or folder with its contents, if it exists. */
  remove(file: string): Promise<void>;
  /** Watches a folder. `name` is the entry that may have changed, if the system reports it. */
  watch(folder: string, onChange: (name: string | undefined) => void): Disposable;
}

const fileMode = 0o600;
const chunkBytes = 256 * 1024;
/** Take a third of the time of the functions of `node:fs/promises`, which counts when there are thousands of small files. */
const readText = promisify(readFile);
const statFile = promisify(stat);

export class NodeFiles implements FilePort {
  async makeFolder(folder: string): Promise<void> {
    try {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      // On a read-only file system, Node.js reports ENOENT, so this check throws the real reason.
      if (errorCode(error) === 'ENOENT') await checkWritable(path.dirname(folder));
      throw error;
    }
  }

  async listNames(folder: string): Promise<readonly string[]> {
    return (await unlessMissing(fs.readdir(folder))) ?? [];
  }

  read(file: string): Promise<string | undefined> {
    return unlessMissing(readText(file, 'utf8'));
  }

  async *readChunks(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const handle = await fs.open(file);
    try {
      yield* chunksOf(handle, 0, {}, signal);
    } finally {
      await handle.close();
    }
  }

  async whileOpen<Result>(file: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result> {
    const handle = await fs.open(file);
    try {
      return await work((start = 0, how = {}) => chunksOf(handle, start, how));
    } finally {
      await handle.close();
    }
  }

  async writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    const existing = offset > 0 ? await fs.open(file, 'r+') : await unlessMissing(fs.open(file, 'r+'));
    const handle = existing ?? (await fs.open(file, 'wx+', fileMode));
    try {
      let written = 0;
      while (written < bytes.length) {
        written += (await handle.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
      }
      await handle.truncate(offset + bytes.length);
    } finally {
      await handle.close();
    }
  }

  async replace(file: string, text: string): Promise<void> {
    const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await fs.writeFile(temporary, text, { mode: fileMode, flag: 'wx' });
      await fs.rename(temporary, file);
    } catch (error) {
      await fs.rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async replaceWith(source: string, file: string): Promise<void> {
    const handle = await fs.open(source, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(source, file);
  }

  async createNew(file: string, text: string): Promise<boolean> {
    const handle = await fs.open(file, 'wx', fileMode).catch((error: unknown) => {
      if (errorCode(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (!handle) return false;
    try {
      await handle.writeFile(text);
    } catch (error) {
      await fs.rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  }

  async moveIfExists(from: string, to: string): Promise<boolean> {
    return (await unlessMissing(fs.rename(from, to).then(() => true))) ?? false;
  }

  async touch(file: string): Promise<void> {
    const now = new Date();
    await fs.utimes(file, now, now);
  }

  async modifiedAt(file: string): Promise<number | undefined> {
    return (await unlessMissing(fs.stat(file)))?.mtimeMs;
  }

  async versionOf(file: string): Promise<FileVersion | undefined> {
    const stats = await unlessMissing(statFile(file));
    return stats && { mtimeMs: stats.mtimeMs, sizeBytes: stats.size };
  }

  async remove(file: string): Promise<void> {
    await unlessMissing(fs.rm(file, { recursive: true, force: true, maxRetries: 3 }));
  }

  watch(folder: string, onChange: (name: string | undefined) => void): Disposable {
    return watchFolder(folder, onChange);
  }
}

async function* chunksOf(
  handle: fs.FileHandle,
  start: number,
  { memory, skipped = [] }: ChunkOptions,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let gaps = 0;
  for (let offset = start; offset < Infinity;) {
    signal?.throwIfAborted();
    const chunk = memory ?? Buffer.allocUnsafeSlow(chunkBytes);
    const chunkStart = offset;
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, chunkStart);
    if (bytesRead === 0) return;
    const chunkEnd = chunkStart + bytesRead;
    while (offset < chunkEnd) {
      const gap = skipped[gaps];
      const end = Math.min(chunkEnd, gap?.start ?? Infinity);
      if (offset < end) yield chunk.subarray(offset - chunkStart, end - chunkStart);
      offset = Math.max(offset, end);
      if (gap === undefined || offset < gap.start) continue;
      offset = Math.max(offset, gap.end);
      gaps++;
    }
  }
}

/** Checks that the folder is writable, or its nearest existing parent. @throws the Node.js error if not */
async function checkWritable(folder: string): Promise<void> {
  try {
    await fs.access(folder, fs.constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    await checkWritable(path.dirname(folder));
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    // ENOTDIR means that one of its parents is a file.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
