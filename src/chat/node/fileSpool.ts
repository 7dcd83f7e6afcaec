import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SpooledText, TextSpool } from '../../transcript/common/entryStore';
import { leftoverAgeMs } from './conversationFolders';

const prefix = 'spool-';

/**
 * Keeps texts in a file that has no name any more, so that it is gone when the process ends, however it ends. Only the
 * user can read it. It is created with the first text. If it can't be written once, no more texts are accepted.
 */
export class FileSpool implements TextSpool {
  private handle: number | undefined;
  private size = 0;
  private isWritable = true;

  /** `folder` is an absolute path. The folder is created if it does not exist. */
  constructor(private readonly folder: string) {}

  write(text: string): SpooledText | undefined {
    if (!this.isWritable) return undefined;
    try {
      this.handle ??= openUnnamed(this.folder);
      const offset = this.size;
      const length = Buffer.byteLength(text);
      // Most texts are written at once. Then no copy of them is left to the garbage collection.
      const written = fs.writeSync(this.handle, text, offset, 'utf8');
      if (written < length) writeAll(this.handle, Buffer.from(text).subarray(written), offset + written);
      this.size += length;
      return { offset, length };
    } catch {
      this.isWritable = false;
      return undefined;
    }
  }

  read({ offset, length }: SpooledText): string {
    if (this.handle === undefined) throw new Error('The file is closed.');
    return readAll(this.handle, offset, length).toString('utf8');
  }

  dispose(): void {
    this.isWritable = false;
    if (this.handle !== undefined) fs.closeSync(this.handle);
    this.handle = undefined;
  }
}

function openUnnamed(folder: string): number {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftovers(folder);
  const file = path.join(folder, `${prefix}${randomBytes(8).toString('hex')}.tmp`);
  const handle = fs.openSync(file, 'wx+', 0o600);
  try {
    // With `force`, because another process may have taken it for a leftover.
    fs.rmSync(file, { force: true });
  } catch (error) {
    fs.closeSync(handle);
    // Some file systems remove only closed files. Without this, an empty file of each conversation would stay.
    fs.rmSync(file, { force: true });
    throw error;
  }
  return handle;
}

/**
 * Removes files of killed processes. A file of the spool loses its name as soon as it is open, so one that still has a name was
 * left behind. It does no harm if it can't be removed, for example because another process has it open.
 */
function removeLeftovers(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const file = path.join(folder, name);
    try {
      if (Date.now() - fs.statSync(file).mtimeMs > leftoverAgeMs) fs.rmSync(file);
    } catch {
      // The next process tries it again.
    }
  }
}

function writeAll(handle: number, bytes: Buffer, offset: number): void {
  for (let written = 0; written < bytes.length;)
    written += fs.writeSync(handle, bytes, written, bytes.length - written, offset + written);
}

function readAll(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length;) {
    const count = fs.readSync(handle, bytes, read, length - read, offset + read);
    if (count === 0) throw new Error('The file is shorter than what was written.');
    read += count;
  }
  return bytes;
}
