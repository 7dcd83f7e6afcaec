import { statSync } from 'node:fs';
import * as path from 'node:path';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import { headOf, createProblemHead, searchDataOf } from '../../../common/heads/heads';
import type { DocumentOrigin, ThreadFile } from '../../../common/threadReader';
import type { ThreadHead } from '../../../common/threadPorts';
import { toThreadError } from '../../files/threadFile';
import type { IncrementalThreadFileReader } from '../../files/incrementalThreadFileReader';
import type { FileVersionKey } from '../../../../texts/node/files/fileKey';
import type { DocumentToIndex } from '../../../../texts/node/segmentBuilder';

/**
 * Returns the texts of a thread. There are none for a hidden or unreadable thread. Undefined if the file no longer
 * exists.
 */
export function readTextsForSearch(
  files: IncrementalThreadFileReader,
  file: FileVersionKey,
): DocumentToIndex | undefined {
  const from = originOf(file, file.mtimeMs);
  const empty = { file, documentId: from.threadId, title: '', lastPromptAt: file.mtimeMs, texts: [] };
  try {
    const { json } = files.read(file.path, file);
    return { ...empty, ...searchDataOf(json, from) };
  } catch (error) {
    return toThreadError(error).code === 'notFound' ? undefined : empty;
  }
}

/** Returns the head of a thread. Null for a hidden thread. Undefined if the file no longer exists. */
export function readHeadOfStoredThread(
  files: IncrementalThreadFileReader,
  file: FileVersionKey,
  nowMs: number,
): ThreadHead | null | undefined {
  return readHeadOf(files, originOf(file, nowMs));
}

/** Returns the origin of a file. For a stored thread, the file name is the id. */
function originOf(
  file: FileVersionKey,
  nowMs: number,
): DocumentOrigin & FileVersionKey & { readonly threadId: string } {
  return { source: 'local', threadId: path.basename(file.path, '.json'), ...file, nowMs };
}

/** Returns the head of a thread. Undefined for a hidden thread, or if the file no longer exists. */
export function readHead(
  files: IncrementalThreadFileReader,
  { path: file, source, threadId }: ThreadFile,
  nowMs: number,
): ThreadHead | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const { size: sizeBytes, mtimeMs } = stats;
  const from = { source, ...withoutUndefined({ threadId }), path: file, sizeBytes, mtimeMs, nowMs };
  return readHeadOf(files, from) ?? undefined;
}

/** Returns the head of a file. An unreadable file gets a head with a `problem`. */
function readHeadOf(
  files: IncrementalThreadFileReader,
  from: DocumentOrigin & FileVersionKey,
): ThreadHead | null | undefined {
  try {
    return headOf(files.read(from.path, from).json, from) ?? null;
  } catch (error) {
    const { code, message } = toThreadError(error);
    if (code === 'notFound') return undefined;
    const head = createProblemHead(from, message);
    return code === 'beingWritten' ? { ...head, isBeingWritten: true } : head;
  }
}
