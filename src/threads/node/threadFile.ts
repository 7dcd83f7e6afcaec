import { readFileSync, statSync } from 'node:fs';
import { errorCode, messageOf } from '../../base/common/errors';
import { ThreadError } from '../common/threadPorts';

/** Amp itself reads nothing larger. */
export const maxThreadBytes = 50 * 1024 * 1024;

export interface ThreadFileStats {
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
}

export interface ThreadFileContent extends ThreadFileStats {
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
  if (code === 'EACCES' || code === 'EPERM') {
    return new ThreadError('unreadable', 'This file may not be read. Look at its permissions.', { cause: error });
  }
  return new ThreadError('unreadable', `This file cannot be read: ${messageOf(error)}`, { cause: error });
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
