import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode } from '../../../base/common/errors';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

const Holder = z.object({ token: z.string(), pid: z.number(), host: z.string() });

/** A holder that has not touched its lock for so long is taken for dead. */
const staleAfterMs = 30_000;

/**
 * Says who may write: one process at a time. Readers need none. It keeps windows from doing the same work twice; if two
 * ever hold it, because one slept, each still replaces whole files only.
 */
export class IndexLock implements Disposable {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** Undefined while somebody else has it. @throws Error of Node.js when the folder cannot be written */
  static tryTake(file: string): IndexLock | undefined {
    const token = randomUUID();
    if (create(file, token)) return new IndexLock(file, token);
    return removeStale(file) && create(file, token) ? new IndexLock(file, token) : undefined;
  }

  /** To be called more often than every 30 s. */
  touch(): void {
    const now = new Date();
    try {
      utimesSync(this.file, now, now);
    } catch {
      // Somebody took it over: whole files are replaced either way.
    }
  }

  dispose(): void {
    if (holderOf(this.file)?.token === this.token) rmSync(this.file, { force: true });
  }
}

function create(file: string, token: string): boolean {
  try {
    writeFileSync(file, JSON.stringify({ token, pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the lock of a dead holder out of the way, which only one of several can do. */
function removeStale(file: string): boolean {
  const holder = holderOf(file);
  if (!isStale(file, holder)) return false;
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (holderOf(aside)?.token !== holder?.token) {
      renameSync(aside, file);
      return false;
    }
    rmSync(aside, { force: true });
    return true;
  } catch {
    return false;
  }
}

function isStale(file: string, holder: z.infer<typeof Holder> | undefined): boolean {
  const touchedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (touchedAt === undefined) return true;
  // Of the future, too: then a clock was set.
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
