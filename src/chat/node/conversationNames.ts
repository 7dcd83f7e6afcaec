/** The names of files and folders of conversations. Imports nothing, as a worker that starts while somebody waits needs it. */

export const logFileName = 'log.jsonl';
export const textsFolderName = 'texts';

/** The names of the folders in which versions before this one have the conversations of a workspace. */
export const olderWorkspaceName = /^(?:[0-9a-f]{32}|none)$/;

export function isConversationId(name: string): boolean {
  return /^[\w-]{8,64}$/.test(name);
}
