import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { FilePort } from '../../base/node/filePort';
import { workspaceKey } from '../../base/node/workspaceKey';

export interface OpenWorkspace {
  /** Absolute path of the `.code-workspace` file, if it was saved. */
  readonly file: string | undefined;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
}

/**
 * Returns the folder below `root` in which versions before this one have the conversations of a workspace. The name
 * depends on the workspace file if there is one, and otherwise on the folders.
 */
export async function findConversationsFolder(root: string, { file, folders }: OpenWorkspace): Promise<string> {
  return path.join(root, (await workspaceKey(file === undefined ? folders : [file])) ?? 'none');
}

/** How long after the last heartbeat of its lock a conversation may still be in use. */
const lockedMs = 60_000;

interface MoveDeps {
  readonly from: string;
  readonly to: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Moves conversations from an older location. Conversations that are in use are moved the next time. Never rejects. */
export async function moveOldConversations({ clock, files, from, log, to }: MoveDeps): Promise<void> {
  try {
    const names = (await files.listNames(from)).filter((name) => name !== 'heads');
    if (names.length > 0) await files.makeFolder(path.join(to, 'heads'));
    for (const name of names) {
      const source = path.join(from, name);
      // This is not the folder of a conversation.
      if ((await files.modifiedAt(path.join(source, 'log.jsonl'))) === undefined) continue;
      const lockedAt = await files.modifiedAt(path.join(source, 'lock'));
      if (lockedAt !== undefined && Math.abs(clock.now() - lockedAt) < lockedMs) continue;
      const target = path.join(to, name);
      if ((await files.modifiedAt(target)) !== undefined) continue;
      // The head is moved first: if VS Code is killed in between, the next start finds the rest.
      await files.moveIfExists(path.join(from, 'heads', `${name}.json`), path.join(to, 'heads', `${name}.json`));
      await files.moveIfExists(source, target);
    }
  } catch (error) {
    log.warn(`Older conversations stay in ${from}: ${messageOf(error)}`);
  }
}
