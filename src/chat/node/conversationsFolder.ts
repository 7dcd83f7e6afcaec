import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { FilePort } from './filePort';

export interface OpenWorkspace {
  /** Absolute path of the `.code-workspace` file, if saved. */
  readonly file: string | undefined;
  /** Absolute paths. */
  readonly folders: readonly string[];
}

/**
 * Returns the folder below `root` for a workspace's conversations. All windows of the workspace share it, unlike VS Code's own
 * workspace storage. It depends on the workspace file if there is one, else on the folders.
 */
export async function findConversationsFolder(root: string, { file, folders }: OpenWorkspace): Promise<string> {
  const places = await Promise.all((file === undefined ? folders : [file]).map(realPath));
  if (places.length === 0) return path.join(root, 'none');
  const key = createHash('sha256').update(places.toSorted().join('\0')).digest('hex').slice(0, 32);
  return path.join(root, key);
}

async function realPath(place: string): Promise<string> {
  return await realpath(place).catch(() => path.normalize(place));
}

/** How long after the last heartbeat of its lock a conversation may still be written. */
const lockedMs = 60_000;

interface MoveDeps {
  readonly from: string;
  readonly to: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Moves conversations from an older location; those being written are left for the next time. Never rejects. */
export async function moveOldConversations({ clock, files, from, log, to }: MoveDeps): Promise<void> {
  try {
    const names = (await files.listNames(from)).filter((name) => name !== 'heads');
    if (names.length > 0) await files.makeFolder(path.join(to, 'heads'));
    for (const name of names) {
      const source = path.join(from, name);
      // Not the folder of a conversation.
      if ((await files.modifiedAt(path.join(source, 'log.jsonl'))) === undefined) continue;
      const lockedAt = await files.modifiedAt(path.join(source, 'lock'));
      if (lockedAt !== undefined && Math.abs(clock.now() - lockedAt) < lockedMs) continue;
      const target = path.join(to, name);
      if ((await files.modifiedAt(target)) !== undefined) continue;
      await files.move(source, target);
      await files.move(path.join(from, 'heads', `${name}.json`), path.join(to, 'heads', `${name}.json`));
    }
  } catch (error) {
    log.warn(`Older conversations stay in ${from}: ${messageOf(error)}`);
  }
}
