import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import * as path from 'node:path';
import type { Disposable } from '../../base/common/disposable';
import { errorCode } from '../../base/common/errors';
import { watchFolder } from '../../base/node/watchFolder';

/** What the store asks of a disk; tests let it fail. Files are the user's alone. Everything rejects with errors of Node.js. */
export interface FilePort {
  makeFolder(folder: string): Promise<void>;
  /** Names; none of a folder that is missing. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when it is missing. */
  read(file: string): Promise<string | undefined>;
  /** From `start` on, in bytes. */
  chunks(file: string, signal?: AbortSignal, start?: number): AsyncIterable<Uint8Array>;
  /** Makes `bytes` the end of the file, from `offset` on; what was behind is gone. A file is made only at its beginning. */
  writeAt(file: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** By a rename, so that nobody reads half of it. */
  replace(file: string, text: string): Promise<void>;
  /** False when it is there already. All of it or nothing. */
  createNew(file: string, text: string): Promise<boolean>;
  /** False when `from` is missing. */
  move(from: string, to: string): Promise<boolean>;
  touch(file: string): Promise<void>;
  /** Milliseconds since the epoch; undefined when it is missing. */
  modifiedAt(file: string): Promise<number | undefined>;
  /** With all that is in it; nothing when it is missing. */
  remove(file: string): Promise<void>;
  /** `name` is the entry that may have changed, when the system tells. */
  watch(folder: string, onChange: (name: string | undefined) => void): Disposable;
}

const fileMode = 0o600;

export class DiskFiles implements FilePort {
  async makeFolder(folder: string): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      // Node.js calls a folder missing that a read-only file system does not let it make.
      if (errorCode(error) === 'ENOENT') await checkWritable(path.dirname(folder));
      throw error;
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    return (await unlessMissing(readdir(folder))) ?? [];
  }

  read(file: string): Promise<string | undefined> {
    return unlessMissing(readFile(file, 'utf8'));
  }

  async *chunks(file: string, signal?: AbortSignal, start = 0): AsyncGenerator<Uint8Array, void, undefined> {
    const stream = createReadStream(file, { highWaterMark: 256 * 1024, start, ...(signal ? { signal } : {}) });
    for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  }

  async writeAt(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    const existing = offset > 0 ? await open(file, 'r+') : await unlessMissing(open(file, 'r+'));
    const handle = existing ?? (await open(file, 'wx+', fileMode));
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
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(draft, text, { mode: fileMode, flag: 'wx' });
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async createNew(file: string, text: string): Promise<boolean> {
    const handle = await open(file, 'wx', fileMode).catch((error: unknown) => {
      if (errorCode(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (!handle) return false;
    try {
      await handle.writeFile(text);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  }

  async move(from: string, to: string): Promise<boolean> {
    return (await unlessMissing(rename(from, to).then(() => true))) ?? false;
  }

  async touch(file: string): Promise<void> {
    const now = new Date();
    await utimes(file, now, now);
  }

  async modifiedAt(file: string): Promise<number | undefined> {
    return (await unlessMissing(stat(file)))?.mtimeMs;
  }

  async remove(file: string): Promise<void> {
    await unlessMissing(rm(file, { recursive: true, force: true, maxRetries: 3 }));
  }

  watch(folder: string, onChange: (name: string | undefined) => void): Disposable {
    return watchFolder(folder, onChange);
  }
}

/** Whether something can be made in the folder, or in the nearest one above it that is there. @throws Error of Node.js */
async function checkWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    await checkWritable(path.dirname(folder));
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    // ENOTDIR: one of its parents is a file.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
