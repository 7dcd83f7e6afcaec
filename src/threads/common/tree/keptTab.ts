import { isThreadId } from '../heads/heads';
import type { ThreadHead } from '../threadPorts';

/**
 * What the tab of a thread keeps for the day it is opened again: the id of the thread, and of an opened file its path, for
 * which files were opened nobody remembers.
 */

/** `head` is what the list knows of the thread. */
export function keptOfTab(threadId: string, head: ThreadHead | undefined): string {
  return head?.source === 'file' && head.path !== undefined ? head.path : threadId;
}

/** The id of the thread, whose file is taken in again. One that cannot be has its path for an id: its tab says so. */
export async function threadOfTab(kept: string, addFile: (file: string) => Promise<ThreadHead>): Promise<string> {
  if (isThreadId(kept)) return kept;
  return await addFile(kept).then(
    ({ id }) => id,
    () => kept,
  );
}
