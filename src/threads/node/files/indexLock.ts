import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode } from '../../../base/common/errors';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

const Holder = z.object({ token: z.string(), pid: z.number(), host: z.string() });

/** A lock that was not touched for this long is abandoned. */
const staleAfterMs = 30_000;

/**
 * A lock file that lets one process write the index at a time. Readers need no lock. If two processes ever hold it, because
 * one was suspended, the index stays valid, because each replaces whole files.
 */
export class IndexLock implements Disposable {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** Returns undefined while another process holds the lock. @throws Error of Node.js when the folder is not writable */
  static tryAcquire(file: string): IndexLock | undefined {
    const token = randomUUID();
    if (createLockFile(file, token)) return new IndexLock(file, token);
    return removeStale(file) && createLockFile(file, token) ? new IndexLock(file, token) : undefined;
  }

  /** Call this at least every 30 s while holding the lock. */
  renewLock(): void {
    const now = new Date();
    try {
      utimesSync(this.file, now, now);
    } catch {
      // Another process took the lock over. Whole files are replaced either way.
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

/** Renames the lock of a dead process, which only one of several competing processes can do. */
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
  // Also covers times in the future, after the clock was changed.
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
