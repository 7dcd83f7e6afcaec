import { statSync } from 'node:fs';
import * as path from 'node:path';
import { headOf, problemHead, type ReadFrom } from '../../../common/heads';
import type { ThreadHead } from '../../../common/threadPorts';
import type { ThreadFile } from '../../../common/threadReader';
import { threadTexts, type ThreadText } from '../../../common/threadTexts';
import { asThreadError, readThreadFile } from '../../threadFile';
import type { FileKey } from '../fileKey';

/** What one reading of a file gives to the search. */
export interface ReadThread {
  /** Null for a thread that is not listed. */
  readonly head: ThreadHead | null;
  readonly texts: readonly ThreadText[];
}

/** For the search. Undefined for a file that has vanished. */
export function readForSearch(file: FileKey): ReadThread | undefined {
  return readHeadAnd(threadTexts, inStore(file, file.mtimeMs));
}

/** For the list; null for a thread that is not listed, undefined for a file that has vanished. */
export function readForList(file: FileKey, nowMs: number): ThreadHead | null | undefined {
  return readHeadAnd(() => [], inStore(file, nowMs))?.head;
}

/** A file of the store is named by its thread. */
function inStore(file: FileKey, nowMs: number): ReadFrom & FileKey {
  return { source: 'local', threadId: path.basename(file.path, '.json'), ...file, nowMs };
}

/** Undefined for what is not listed, and for a file that has vanished. */
export function readHead({ path: file, source, threadId }: ThreadFile, nowMs: number): ThreadHead | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const named = threadId === undefined ? {} : { threadId };
  const from = { source, ...named, path: file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs, nowMs };
  return readHeadAnd(() => [], from)?.head ?? undefined;
}

/** @throws nothing: what cannot be read has a problem */
function readHeadAnd(
  textsOf: (json: unknown) => readonly ThreadText[],
  from: ReadFrom & FileKey,
): ReadThread | undefined {
  try {
    const { json } = readThreadFile(from.path, from);
    const head = headOf(json, from) ?? null;
    return { head, texts: head && head.problem === undefined ? textsOf(json) : [] };
  } catch (error) {
    const { code, message } = asThreadError(error);
    if (code === 'notFound') return undefined;
    const head = problemHead(from, message);
    return { head: code === 'beingWritten' ? { ...head, isBeingWritten: true } : head, texts: [] };
  }
}
