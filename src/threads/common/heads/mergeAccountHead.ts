import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ThreadHead } from '../threadPorts';

/**
 * Merges the heads of a thread if the account has more messages of it than this machine. An exported thread has all
 * fields except the local path. A listed thread has only a few fields, so the others come from this machine.
 */
export function mergeAccountHead(here: ThreadHead, account: ThreadHead): ThreadHead {
  if (here.problem !== undefined) return account;
  const { path, sizeBytes, mtimeMs } = here;
  if (account.path !== undefined) return { ...here, ...account, ...withoutUndefined({ path, sizeBytes, mtimeMs }) };
  const { source, title, folders, lastPromptAt, messageCount, isArchived } = account;
  return {
    ...here,
    source,
    ...withoutUndefined({ title }),
    folders: here.folders.length > 0 ? here.folders : folders,
    lastPromptAt,
    messageCount,
    isArchived,
  };
}
