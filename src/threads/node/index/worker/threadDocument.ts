import { readFileSync, statSync } from 'node:fs';
import { errorCode, messageOf } from '../../../../base/common/errors';
import { ThreadError } from '../../../common/threadPorts';
import { tooLargeMessage, maxThreadBytes } from '../threadLimits';

export interface ReadDocument {
  /** Parsed JSON of any shape. */
  readonly document: unknown;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

type FileStats = Omit<ReadDocument, 'document'>;

/**
 * `stats` are those of a moment ago, if there are any.
 * @throws ThreadError `notFound` when there is no such file, else `tooLarge` or `unreadable`
 */
export function readDocument(path: string, stats?: FileStats): ReadDocument {
  const { content, sizeBytes, mtimeMs } = readContent(path, stats);
  try {
    return { document: JSON.parse(content), sizeBytes, mtimeMs };
  } catch (error) {
    throw new ThreadError('unreadable', brokenMessage(content, messageOf(error)), { cause: error });
  }
}

function readContent(path: string, stats?: FileStats): FileStats & { readonly content: string } {
  try {
    // Amp replaces the file by rename, so that what is read is whole; the size is that of what was there before.
    const { sizeBytes, mtimeMs } = stats ?? statsOf(path);
    if (sizeBytes > maxThreadBytes) throw new ThreadError('tooLarge', tooLargeMessage(sizeBytes));
    const content = readFileSync(path, 'utf8');
    return { content: content.startsWith('\ufeff') ? content.slice(1) : content, sizeBytes, mtimeMs };
  } catch (error) {
    if (error instanceof ThreadError) throw error;
    if (errorCode(error) === 'ENOENT') throw new ThreadError('notFound', 'The file is gone.', { cause: error });
    throw new ThreadError('unreadable', `The file cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function statsOf(path: string): FileStats {
  const { size, mtimeMs } = statSync(path);
  return { sizeBytes: size, mtimeMs };
}

function brokenMessage(content: string, reason: string): string {
  if (content.trim() === '') return 'The file is empty.';
  // The parser's words may quote what is in the file: what is a prompt does not belong in a row.
  const place = /at position \d+|end of JSON/i.exec(reason)?.[0];
  return `The file is no complete JSON${place === undefined ? '' : ` (${place})`}.`;
}
