import { pause, type Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import { FileLock } from '../../../base/node/fileLock';
import { NodeFiles } from '../../../base/node/filePort';
import { cancelledError, InstallError } from '../../common/install/installError';

interface LockOptions {
  /** Absolute path. The folder of the file must exist. */
  readonly file: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long another window may keep the lock. */
  readonly waitMs: number;
  /** Called once if another window has the lock. */
  readonly onWait: () => void;
}

interface HeldLock {
  /** Fires when another window took the lock because this one seemed to have ended, for example after a sleep. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

const retryMs = 500;

/** Ensures that one window installs at a time. @throws InstallError `otherWindow` when the wait is over, or `cancelled` */
export async function acquireInstallLock({ file, clock, signal, waitMs, onWait }: LockOptions): Promise<HeldLock> {
  const lostController = new AbortController();
  const lock = new FileLock(file, { files: new NodeFiles(), clock, onLost: () => lostController.abort() });
  const endMs = clock.monotonicNow() + waitMs;
  try {
    for (let attempt = 0; ; attempt++) {
      if (signal.aborted) throw cancelledError();
      if (await tryAcquire(lock)) return { lost: lostController.signal, release: () => lock.release() };
      if (clock.monotonicNow() >= endMs) throw otherWindowError();
      if (attempt === 0) onWait();
      await pause(clock, retryMs, signal, cancelledError);
    }
  } catch (error) {
    lock.dispose();
    throw error;
  }
}

export function otherWindowError(): InstallError {
  return new InstallError('otherWindow', 'Another window is installing an agent.', 'Try again when that is done.');
}

async function tryAcquire(lock: FileLock): Promise<boolean> {
  try {
    return await lock.acquire();
  } catch (error) {
    // Windows reports EPERM for a file that is being removed.
    if (errorCode(error) === 'EPERM') return false;
    throw error;
  }
}
