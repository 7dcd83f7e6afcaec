import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode } from '../../../base/common/errors';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

const Holder = z.object({ token: z.string(), pid: z.number(), host: z.string() });

/** Time after which a lock that was not renewed counts as abandoned. */
const staleAfterMs = 30_000;

/**
 * A lock file with which only one process at a time writes the index. Readers need no lock. If two processes ever hold
 * the lock, because one of them was suspended, the index still stays valid, because each process replaces whole files.
 */
export class IndexLock implements Disposable {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** Returns undefined while another process holds the lock. @throws Error of Node.js if the folder is not writable */
  static tryAcquire(file: string): IndexLock | undefined {
    const token = randomUUID();
    if (createLockFile(file, token)) return new IndexLock(file, token);
    return removeStale(file) && createLockFile(file, token) ? new IndexLock(file, token) : undefined;
  }

  /** Renews the lock. Call at least every 30 s while holding it. */
  renewLock(): void {
    const now = new Date();
    try {
      utimesSync(this.file, now, now);
    } catch {
      // Another process has taken the lock. This does no harm, because whole files are replaced.
    }
  }

  dispose(): void {
    if (holderOf(this.file)?.token === this.token) rmSync(this.file, { force: true });
  }
}

function createLockFile(file: string, token: string): boolean {
  try {
    writeFileSync(file, JSON.stringify({ token, pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of an ended process. Renames it first: only one of several processes can do that. */
function removeStale(file: string): boolean {
  const holder = holderOf(file);
  if (!isStale(file, holder)) return false;
  const renamedFile = `${file}.${randomUUID()}`;
  try {
    renameSync(file, renamedFile);
    if (holderOf(renamedFile)?.token !== holder?.token) {
      renameSync(renamedFile, file);
      return false;
    }
    rmSync(renamedFile, { force: true });
    return true;
  } catch {
    return false;
  }
}

function isStale(file: string, holder: z.infer<typeof Holder> | undefined): boolean {
  const touchedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (touchedAt === undefined) return true;
  // The absolute difference also covers times in the future, which occur after the clock was changed.
  if (Math.abs(Date.now() - touchedAt) > staleAfterMs) return true;
  return holder?.host === hostname() && !isProcessAlive(holder.pid);
}

function holderOf(file: string): z.infer<typeof Holder> | undefined {
  try {
    return Holder.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
