import { mkdirSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../../../../base/common/errors';
import { headOf, problemHead, type ReadFrom } from '../../../common/heads';
import type { ThreadHead } from '../../../common/threadPorts';
import type { ThreadFile } from '../../../common/threadReader';
import { threadTexts, type ThreadText } from '../../../common/threadTexts';
import { asThreadError, readThreadFile } from '../../threadFile';
import type { FileKey } from '../fileKey';
import { headFileName } from '../headCache';
import { encodeHeads, IndexFileError, mergeHeads, type StoredHead } from '../headFile';
import { IndexLock } from '../indexLock';
import { writeWholeFile } from '../wholeFile';

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
    return code === 'notFound' ? undefined : { head: problemHead(from, message), texts: [] };
  }
}

/**
 * Adds to the heads on disk, which another window may have written meanwhile. Not done while another window writes: what
 * is not saved is read again.
 * @throws Error of Node.js when the folder cannot be written
 */
export function saveHeads(folder: string, heads: readonly StoredHead[], gone: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = IndexLock.tryTake(path.join(folder, 'heads.lock'));
  if (!lock) return;
  try {
    const file = path.join(folder, headFileName);
    writeWholeFile(file, merged(file, heads, gone));
  } finally {
    lock.dispose();
  }
}

/** Who reads a file first that cannot be used says so in the log. */
function merged(file: string, heads: readonly StoredHead[], gone: readonly string[]): Buffer {
  try {
    return mergeHeads(readFileSync(file), heads, gone);
  } catch (error) {
    if (!(error instanceof IndexFileError) && errorCode(error) !== 'ENOENT') throw error;
    return encodeHeads(heads);
  }
}
