import { isThreadId } from '../heads/heads';
import type { ThreadHead } from '../threadPorts';

/**
 * Returns the key with which a tab restores its thread after a reload: the thread's id. For a file that the user has
 * opened, this is its path, because such files are not in the list.
 */
export function tabKeyOf(threadId: string, head: ThreadHead | undefined): string {
  return head?.source === 'file' && head.path !== undefined ? head.path : threadId;
}

/**
 * Returns the thread id for a tab key. If the key is a path, adds the file again. If that fails, the path is the id,
 * and the tab shows the reason.
 */
export async function restoreThreadIdOfTab(
  tabKey: string,
  addFile: (file: string) => Promise<ThreadHead>,
): Promise<string> {
  if (isThreadId(tabKey)) return tabKey;
  return await addFile(tabKey).then(
    ({ id }) => id,
    () => tabKey,
  );
}
