import { mkdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../../../base/common/errors';
import { headOf, problemHead, type ReadFrom } from '../../../common/heads';
import { ThreadError, type ThreadHead } from '../../../common/threadPorts';
import { threadTexts, type ThreadText } from '../../../common/threadTexts';
import type { FileKey } from '../fileKey';
import { headFileName } from '../headCache';
import { decodeHeads, encodeHeads, type StoredHead } from '../headFile';
import { IndexLock } from '../indexLock';
import { readDocument } from './threadDocument';
import { writeWholeFile } from '../wholeFile';

/** What one reading of a file gives to the list and to the search. */
export interface ReadThread {
  /** Null for a thread that is not listed. */
  readonly head: ThreadHead | null;
  readonly texts: readonly ThreadText[];
}

/** Undefined for a file that has vanished. */
export function readForIndex(file: FileKey, nowMs: number): ReadThread | undefined {
  const threadId = path.basename(file.path, '.json');
  const from: ReadFrom = { source: 'local', threadId, ...file, nowMs };
  try {
    const { document } = readDocument(file.path, file);
    const head = headOf(document, from) ?? null;
    return { head, texts: head && head.problem === undefined ? threadTexts(document) : [] };
  } catch (error) {
    if (error instanceof ThreadError && error.code === 'notFound') return undefined;
    const problem = error instanceof ThreadError ? error.message : `The thread cannot be read: ${messageOf(error)}`;
    return { head: problemHead(from, problem), texts: [] };
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
    const all = new Map(storedHeads(file).map((stored) => [stored.file.path, stored]));
    for (const name of gone) all.delete(name);
    for (const stored of heads) all.set(stored.file.path, stored);
    writeWholeFile(file, encodeHeads(all.values()));
  } finally {
    lock.dispose();
  }
}

/** None of a file that cannot be used: who reads it first says so in the log. */
function storedHeads(file: string): readonly StoredHead[] {
  try {
    return [...decodeHeads(readFileSync(file))];
  } catch (error) {
    if (errorCode(error) !== undefined && errorCode(error) !== 'ENOENT') throw error;
    return [];
  }
}
