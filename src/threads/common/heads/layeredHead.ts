import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ThreadHead } from '../threadPorts';

/**
 * A thread of which the account has more than this machine: what the account says of it, over what this machine knows. One that
 * was exported says everything but where the user has it; one that is only listed says little, and nothing of the rest.
 */
export function layered(here: ThreadHead, account: ThreadHead): ThreadHead {
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
