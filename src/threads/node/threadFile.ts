import { open, type FileHandle } from 'node:fs/promises';
import { errorCode, messageOf } from '../../base/common/errors';
import { ThreadError } from '../common/threadPorts';

/** Amp itself reads nothing larger. */
export const maxThreadBytes = 50 * 1024 * 1024;

export interface ThreadFileText {
  readonly json: unknown;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/**
 * Reads and parses one file. Bytes that are no UTF-8 become U+FFFD.
 * @throws ThreadError `notFound`, `tooLarge`, `unreadable` or `cancelled`
 */
export async function readThreadFile(path: string, signal?: AbortSignal): Promise<ThreadFileText> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { size, mtimeMs } = await handle.stat();
    if (size > maxThreadBytes) throw tooLarge(size);
    const bytes = await handle.readFile({ signal });
    if (bytes.length > maxThreadBytes) throw tooLarge(bytes.length);
    return { json: parsed(bytes), sizeBytes: bytes.length, mtimeMs };
  } catch (error) {
    throw asThreadError(error, signal);
  } finally {
    await handle?.close();
  }
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

function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new ThreadError('unreadable', 'This file is empty.');
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    throw new ThreadError('unreadable', 'This file is not whole JSON: it was cut off or is something else.', {
      cause: error,
    });
  }
}
