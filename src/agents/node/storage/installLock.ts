import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode } from '../../../base/common/errors';
import { cancelledError, InstallError } from '../../common/install/installError';
import { currentOwner, formatOwner, isOwnerAlive, parseOwner } from './windowOwner';

interface LockOptions {
  /** A file in a folder that exists. */
  readonly file: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long another window may keep the lock. */
  readonly waitMs: number;
  /** Called once if another window has the lock. */
  readonly onWait: () => void;
}

interface HeldLock {
  /** Fires when another window took the lock, since this one seemed to be dead: after a sleep, for example. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

const heartbeatMs = 10_000;
/** A window that did not touch its lock for so long is dead, or its process id is another program's now. */
const staleMs = 60_000;
const retryMs = 500;

/** Ensures that one window installs at a time. @throws InstallError `otherWindow` when the wait is over, or `cancelled` */
export async function acquireInstallLock(options: LockOptions): Promise<HeldLock> {
  const { file, clock, signal, waitMs, onWait } = options;
  const content = `${formatOwner(currentOwner())} ${randomUUID()}\n`;
  const endMs = clock.monotonicNow() + waitMs;
  for (let attempt = 0; ; attempt++) {
    if (signal.aborted) throw cancelledError();
    if (await createLock(file, content)) return holdLock(file, content, clock);
    if (await evictStaleLock(file, clock)) continue;
    if (clock.monotonicNow() >= endMs) throw otherWindowError();
    if (attempt === 0) onWait();
    await sleep(clock, retryMs, signal);
  }
}

export function otherWindowError(): InstallError {
  return new InstallError('otherWindow', 'Another window is installing an agent.', 'Install it when that is done.');
}

async function createLock(file: string, content: string): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    // Windows reports EPERM for a file that is being removed.
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'EPERM') return undefined;
    throw error;
  });
  if (!handle) return false;
  try {
    await handle.writeFile(content);
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  return true;
}

/** Resolves to whether the lock is gone. It is moved away first, so that a new one is never removed by mistake. */
async function evictStaleLock(file: string, clock: Clock): Promise<boolean> {
  const before = await readLock(file);
  if (!before) return true;
  if (!isStale(before, clock.now())) return false;
  const tombstone = `${file}.${randomUUID()}`;
  try {
    await rename(file, tombstone);
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
  const moved = await readLock(tombstone);
  const isSame = moved?.text === before.text && moved.modifiedAt === before.modifiedAt;
  if (isSame) await rm(tombstone, { force: true });
  else await rename(tombstone, file);
  return isSame;
}

interface FoundLock {
  readonly text: string;
  readonly modifiedAt: number;
}

async function readLock(file: string): Promise<FoundLock | undefined> {
  try {
    return { text: await readFile(file, 'utf8'), modifiedAt: (await stat(file)).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isStale({ text, modifiedAt }: FoundLock, now: number): boolean {
  if (now - modifiedAt > staleMs) return true;
  const owner = parseOwner(text);
  return owner !== undefined && isOwnerAlive(owner) === false;
}

function holdLock(file: string, content: string, clock: Clock): HeldLock {
  const controller = new AbortController();
  let timer: Disposable | undefined;
  let isReleased = false;
  const isOurs = async (): Promise<boolean> => (await readLock(file))?.text === content;
  const beat = async (): Promise<void> => {
    if (!(await isOurs())) {
      if (!isReleased) controller.abort();
      return;
    }
    const now = new Date(clock.now());
    await utimes(file, now, now);
  };
  const schedule = (): void => {
    timer = clock.setTimer(heartbeatMs, () => {
      // Retried with the next one.
      void beat()
        .catch(() => undefined)
        .then(() => {
          if (!isReleased && !controller.signal.aborted) schedule();
        });
    });
  };
  schedule();
  return {
    lost: controller.signal,
    async release() {
      isReleased = true;
      timer?.dispose();
      if (await isOurs().catch(() => false)) await rm(file, { force: true }).catch(() => undefined);
    },
  };
}

/** @throws InstallError `cancelled` */
async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const timer = clock.setTimer(delayMs, () => resolve(undefined));
  const onAbort = (): void => reject(cancelledError());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    timer.dispose();
    signal.removeEventListener('abort', onAbort);
  }
}
