import { readFileSync, statSync } from 'node:fs';
import { errorCode, messageOf } from '../../../base/common/errors';
import { ThreadError } from '../../common/threadPorts';
import type { FileKey } from './fileKey';

/** Amp itself reads nothing larger. */
export const maxThreadBytes = 50 * 1024 * 1024;

type ThreadFileStats = Pick<FileKey, 'sizeBytes' | 'mtimeMs'>;

interface ThreadFileContent extends ThreadFileStats {
  /** Of any shape. */
  readonly json: unknown;
}

/**
 * Reads and parses one file, which keeps the thread it runs on busy: this is for workers. Bytes that are no UTF-8 become
 * U+FFFD. `stats` are those of a moment ago, if there are any.
 * @throws ThreadError `notFound`, `tooLarge`, `beingWritten` or `unreadable`
 */
export function readThreadFile(path: string, stats?: ThreadFileStats): ThreadFileContent {
  let before = stats;
  try {
    // Amp replaces the file by rename, so that what is read is whole; the size may be that of what was there before.
    before ??= statsOf(path);
    const { sizeBytes, mtimeMs } = before;
    if (sizeBytes > maxThreadBytes) throw tooLarge(sizeBytes);
    const content = readFileSync(path);
    if (content.length > maxThreadBytes) throw tooLarge(content.length);
    // Asking for a string at once takes half as long again.
    return { json: parsed(content.toString()), sizeBytes, mtimeMs };
  } catch (error) {
    const failed = asThreadError(error);
    if (failed.code !== 'unreadable' || !before || !hasChanged(path, before)) throw failed;
    throw new ThreadError('beingWritten', 'This file is being written. It is shown when it is whole.', {
      cause: error,
    });
  }
}

/** Other programs than Amp, as one that synchronises folders, may write into the file itself. */
function hasChanged(path: string, before: ThreadFileStats): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && (now.size !== before.sizeBytes || now.mtimeMs !== before.mtimeMs);
}

/** Why a file that is too large is not read. */
export function tooLarge(sizeBytes: number): ThreadError {
  const size = (sizeBytes / 1024 / 1024).toFixed(1);
  return new ThreadError(
    'tooLarge',
    `This thread has ${size} MiB, more than the 50 MiB that Amp itself reads. Its file can be opened as JSON.`,
  );
}

export function asThreadError(error: unknown, signal?: AbortSignal): ThreadError {
  if (error instanceof ThreadError) return error;
  if (signal?.aborted === true) return new ThreadError('cancelled', 'The reading was cancelled.', { cause: error });
  const code = errorCode(error);
  if (code === 'ENOENT') {
    return new ThreadError('notFound', 'The file of this thread is not there any more. Refresh the list.', {
      cause: error,
    });
  }
  return new ThreadError('unreadable', unreadableText(error), { cause: error });
}

/** What the system's errors mean, and what to do; its own words name calls that nobody has made. */
const unreadable: Readonly<Record<string, string>> = {
  EACCES: 'This file may not be read. Look at its permissions.',
  EPERM: 'This file may not be read. Look at its permissions.',
  EISDIR: 'This is a folder, not a file. Look for the thread in it.',
  ENOTDIR: 'A part of the path of this file is not a folder. Refresh the list.',
  ELOOP: 'This file is a link that leads back to itself. Replace it by the file it should lead to.',
  ENAMETOOLONG: 'The path of this file is too long. Move it to a shorter one.',
  EMFILE: 'Too many files are open. Close some programs, then try again.',
  ENFILE: 'Too many files are open. Close some programs, then try again.',
  EBUSY: 'Another program uses this file. Close it there, then try again.',
  EIO: 'The disk could not read this file. Look at the disk, then try again.',
  ESTALE: 'The drive of this file is not there any more. Connect it, then try again.',
  ETIMEDOUT: 'The drive of this file does not answer. Look at its connection, then try again.',
  ENOMEM: 'There is not enough memory to read this file. Close some programs, then try again.',
};

function unreadableText(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return `This file cannot be read: ${messageOf(error)}`;
  return (
    ownText(code) ??
    `This file cannot be read. The system calls it ${code}. Try again, or copy the file and open the copy.`
  );
}

function ownText(code: string): string | undefined {
  return Object.hasOwn(unreadable, code) ? unreadable[code] : undefined;
}

function statsOf(path: string): ThreadFileStats {
  const { size, mtimeMs } = statSync(path);
  return { sizeBytes: size, mtimeMs };
}

function parsed(text: string): unknown {
  if (text === '') throw new ThreadError('unreadable', 'This file is empty.');
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    // The parser's words quote what is in the file: what is a prompt does not belong in a row.
    throw new ThreadError('unreadable', 'This file is not whole JSON: it was cut off or is something else.', {
      cause: error,
    });
  }
}
