import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { FilePort } from './filePort';

export interface OpenWorkspace {
  /** Absolute, of a workspace that has been saved. */
  readonly file: string | undefined;
  /** Absolute. */
  readonly folders: readonly string[];
}

/**
 * Where the conversations of a workspace are, below `root`: the same for all windows that have it open. VS Code's own storage
 * of a workspace is not: a second window gets another one. A saved workspace keeps its conversations when folders are added.
 */
export async function conversationsFolder(root: string, { file, folders }: OpenWorkspace): Promise<string> {
  const places = await Promise.all((file === undefined ? folders : [file]).map(realPath));
  if (places.length === 0) return path.join(root, 'none');
  const key = createHash('sha256').update(places.toSorted().join('\0')).digest('hex').slice(0, 32);
  return path.join(root, key);
}

async function realPath(place: string): Promise<string> {
  return await realpath(place).catch(() => path.normalize(place));
}

/** As long as another window may still write a conversation without being heard of. */
const lockedMs = 60_000;

interface Gathering {
  readonly from: string;
  readonly to: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Moves the conversations of an older place to where they belong; one that is being written goes there another time. Never rejects. */
export async function gatherConversations({ clock, files, from, log, to }: Gathering): Promise<void> {
  try {
    const names = (await files.list(from)).filter((name) => name !== 'heads');
    if (names.length > 0) await files.makeFolder(path.join(to, 'heads'));
    for (const name of names) {
      const source = path.join(from, name);
      // What is no folder of a conversation stays.
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
