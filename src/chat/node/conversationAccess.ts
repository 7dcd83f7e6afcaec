import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { FileLock } from '../../base/node/fileLock';
import { ChatError } from '../common/chatPorts';

/** Who can write to a conversation. `free`: no window is writing; `lost`: another window has become the writer. */
export type Access = 'ours' | 'free' | 'theirs' | 'lost' | 'newer';

const reasons = {
  theirs:
    'In use in another VS Code window. Read-only here until you close that window or open another conversation in it.',
  lost: 'Another VS Code window took over this conversation, so it was stopped here. Open it from the list to read it.',
  newer: 'This conversation was written by a newer version of Backline. You can read it here, but not continue it.',
  notHere: 'The conversation belongs to another folder, and was not continued here.',
};

/** Returns why this window cannot write. Undefined if it can. */
export function readonlyReasonOf(access: Access): string | undefined {
  return access === 'ours' || access === 'free' ? undefined : reasons[access];
}

export function readonlyError(why: keyof typeof reasons): ChatError {
  return new ChatError('readonly', reasons[why]);
}

/**
 * Acquires the lock of a conversation. If another window has it, calls `ask` first, which asks that window to release it.
 * If the folder cannot be written, the next write reports that. @throws ChatError `readonly`, errors of `ask`
 */
export async function acquireOrAsk(lock: FileLock, log: Logger, ask: () => Promise<void> | undefined): Promise<void> {
  const acquire = (): Promise<boolean> =>
    lock.acquire().catch((error: unknown) => {
      log.warn(`Cannot lock a conversation: ${messageOf(error)}`);
      return true;
    });
  if (await acquire()) return;
  await ask();
  if (!(await acquire())) throw readonlyError('theirs');
}
