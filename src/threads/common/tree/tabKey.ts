import { isThreadId } from '../heads/heads';
import type { ThreadHead } from '../threadPorts';

/**
 * Returns the key that a tab stores to restore its thread: the thread's id, or the path of a file that the user opened,
 * because opened files are not stored elsewhere.
 */
export function tabKeyOf(threadId: string, head: ThreadHead | undefined): string {
  return head?.source === 'file' && head.path !== undefined ? head.path : threadId;
}

/** Returns the thread id for a tab key and adds its file again. If that fails, the path is the id, and its tab shows why. */
export async function threadIdOfTab(tabKey: string, addFile: (file: string) => Promise<ThreadHead>): Promise<string> {
  if (isThreadId(tabKey)) return tabKey;
  return await addFile(tabKey).then(
    ({ id }) => id,
    () => tabKey,
  );
}
