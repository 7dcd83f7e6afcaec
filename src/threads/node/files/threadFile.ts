import { readFileSync, statSync } from 'node:fs';
import { errorCode, messageOf } from '../../../base/common/errors';
import { ThreadError } from '../../common/threadPorts';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';

/** Maximum size of a thread file, in bytes. This is also Amp's limit. */
export const maxThreadBytes = 50 * 1024 * 1024;

type ThreadFileStats = Pick<FileVersionKey, 'sizeBytes' | 'mtimeMs'>;

export interface ThreadFileContent extends ThreadFileStats {
  readonly json: unknown;
}

/**
 * Reads and parses a file. Works synchronously, so call it only in workers. Replaces invalid UTF-8 with U+FFFD. `stats`
 * are recent stats of the file, if the caller has them. `parse` may reuse data from an earlier read of the file.
 * @throws ThreadError `notFound`, `tooLarge`, `beingWritten` or `unreadable`
 */
export function readThreadFile(
  path: string,
  stats?: ThreadFileStats,
  // `readFileSync` with an encoding would take 50 % longer.
  parse = (content: Buffer): unknown => parseThreadJson(content.toString()),
): ThreadFileContent {
  let before = stats;
  try {
    // Amp replaces the file by renaming, so the content is complete. However, the stats may belong to the previous
    // file.
    before ??= statsOf(path);
    const { sizeBytes, mtimeMs } = before;
    if (sizeBytes > maxThreadBytes) throw tooLargeError(sizeBytes);
    const content = readFileSync(path);
    if (content.length > maxThreadBytes) throw tooLargeError(content.length);
    return { json: parse(content), sizeBytes, mtimeMs };
  } catch (error) {
    const failed = toThreadError(error);
    if (failed.code !== 'unreadable' || !before || !hasChanged(path, before)) throw failed;
    throw new ThreadError('beingWritten', 'This file is being written. It will be shown when it is complete.', {
      cause: error,
    });
  }
}

/**
 * Whether the file has changed during the read. Programs other than Amp, such as file synchronizers, may write into the
 * file in place.
 */
function hasChanged(path: string, before: ThreadFileStats): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && (now.size !== before.sizeBytes || now.mtimeMs !== before.mtimeMs);
}

export function tooLargeError(sizeBytes: number): ThreadError {
  const size = (sizeBytes / 1024 / 1024).toFixed(1);
  const message = `This thread is too large to show (${size} MiB; the limit is 50 MiB). You can open its file as JSON.`;
  return new ThreadError('tooLarge', message);
}

export function toThreadError(error: unknown, signal?: AbortSignal): ThreadError {
  if (error instanceof ThreadError) return error;
  if (signal?.aborted === true)
    return new ThreadError('cancelled', 'Reading the thread was canceled.', { cause: error });
  const code = errorCode(error);
  if (code === 'ENOENT') {
    return new ThreadError('notFound', 'The file of this thread no longer exists. Refresh the list.', {
      cause: error,
    });
  }
  return new ThreadError('unreadable', unreadableText(error), { cause: error });
}

/** Messages for error codes of Node.js, because its own messages name system calls. */
const unreadableTexts: Readonly<Record<string, string>> = {
  EACCES: 'This file can’t be read. Check its permissions.',
  EPERM: 'This file can’t be read. Check its permissions.',
  EISDIR: 'This is a folder, not a file. Open the thread file in it.',
  ENOTDIR: 'Part of this file’s path is not a folder. Refresh the list.',
  ELOOP: 'This file is a symbolic link to itself. Replace it with the file that it should link to.',
  ENAMETOOLONG: 'The path of this file is too long. Move the file to a shorter path.',
  EMFILE: 'Too many files are open. Close some programs, then try again.',
  ENFILE: 'Too many files are open. Close some programs, then try again.',
  EBUSY: 'Another program is using this file. Close it there, then try again.',
  EIO: 'This file can’t be read because of a disk error. Check the disk, then try again.',
  ESTALE: 'The drive with this file is not connected. Connect it, then try again.',
  ETIMEDOUT: 'The drive with this file does not respond. Check its connection, then try again.',
  ENOMEM: 'There is not enough memory to read this file. Close some programs, then try again.',
};

function unreadableText(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return `This file can’t be read: ${messageOf(error)}`;
  const text = Object.hasOwn(unreadableTexts, code) ? unreadableTexts[code] : undefined;
  return text ?? `This file can’t be read (${code}). Try again, or copy the file and open the copy.`;
}

function statsOf(path: string): ThreadFileStats {
  const { size, mtimeMs } = statSync(path);
  return { sizeBytes: size, mtimeMs };
}

/** @throws ThreadError `unreadable` */
export function parseThreadJson(text: string): unknown {
  if (text === '') throw new ThreadError('unreadable', 'This file is empty.');
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    // The message of the JSON parser quotes the file, which may contain prompts, so it is not used.
    throw new ThreadError('unreadable', 'This file is not valid JSON. It may be incomplete.', {
      cause: error,
    });
  }
}
