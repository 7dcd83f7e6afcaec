import { statSync } from 'node:fs';
import * as path from 'node:path';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import { headOf, problemHead, searchedThread } from '../../../common/heads/heads';
import type { ReadFrom, ThreadFile } from '../../../common/threadReader';
import type { ThreadHead } from '../../../common/threadPorts';
import { asThreadError, readThreadFile } from '../../files/threadFile';
import type { FileKey } from '../../files/fileKey';
import type { ThreadToIndex } from '../../texts/segmentBuilder';

/**
 * For the search. What is not listed has no texts, and what cannot be read has none until it changes. Undefined for a file that
 * has vanished.
 */
export function readForSearch(file: FileKey): ThreadToIndex | undefined {
  const from = inStore(file, file.mtimeMs);
  const nothing = { file, threadId: from.threadId, title: '', lastPromptAt: file.mtimeMs, texts: [] };
  try {
    const { json } = readThreadFile(file.path, file);
    return { ...nothing, ...searchedThread(json, from) };
  } catch (error) {
    return asThreadError(error).code === 'notFound' ? undefined : nothing;
  }
}

/** For the list; null for a thread that is not listed, undefined for a file that has vanished. */
export function readForList(file: FileKey, nowMs: number): ThreadHead | null | undefined {
  return readListed(inStore(file, nowMs));
}

/** A file of the store is named by its thread. */
function inStore(file: FileKey, nowMs: number): ReadFrom & FileKey & { readonly threadId: string } {
  return { source: 'local', threadId: path.basename(file.path, '.json'), ...file, nowMs };
}

/** Undefined for what is not listed, and for a file that has vanished. */
export function readHead({ path: file, source, threadId }: ThreadFile, nowMs: number): ThreadHead | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const from = {
    source,
    ...withoutUndefined({ threadId }),
    path: file,
    sizeBytes: stats.size,
    mtimeMs: stats.mtimeMs,
    nowMs,
  };
  return readListed(from) ?? undefined;
}

/** One that cannot be read has a problem. */
function readListed(from: ReadFrom & FileKey): ThreadHead | null | undefined {
  try {
    return headOf(readThreadFile(from.path, from).json, from) ?? null;
  } catch (error) {
    const { code, message } = asThreadError(error);
    if (code === 'notFound') return undefined;
    const head = problemHead(from, message);
    return code === 'beingWritten' ? { ...head, isBeingWritten: true } : head;
  }
}
