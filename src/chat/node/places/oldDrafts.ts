import * as path from 'node:path';
import * as z from 'zod';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { leftoverAgeMs } from '../conversationFolders';

/** How long the draft of a window that cannot come back is kept after its last change. */
const keptMs = 90 * 24 * 60 * 60_000;

const Stored = z.object({ file: z.string().optional(), folders: z.array(z.string()) });

interface OldDraftsDeps {
  /** Absolute path of the folder for the drafts of all windows. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Removes the drafts that no window can show any more: those of windows without a folder, and of workspaces that were
 * deleted. A workspace on a drive that is not connected was not deleted. Never rejects.
 */
export async function removeOldDrafts({ clock, files, folder, log }: OldDraftsDeps): Promise<void> {
  try {
    for (const name of await files.listNames(folder)) {
      const file = path.join(folder, name);
      const age = clock.now() - ((await files.modifiedAt(file)) ?? clock.now());
      const isOld = name.endsWith('.tmp') ? age > leftoverAgeMs : age > keptMs && (await isUnreachable(files, file));
      if (isOld) await files.remove(file);
    }
  } catch (error) {
    log.debug(`Cannot remove old drafts: ${messageOf(error)}`);
  }
}

async function isUnreachable(files: FilePort, file: string): Promise<boolean> {
  const stored = Stored.safeParse(parseJson((await files.read(file)) ?? '')).data;
  if (!stored) return false;
  const places = stored.file === undefined ? stored.folders : [stored.file];
  const deleted = await Promise.all(places.map((place) => isDeleted(files, place)));
  return deleted.every((is) => is);
}

async function isDeleted(files: FilePort, place: string): Promise<boolean> {
  const isThere = async (one: string): Promise<boolean> => (await files.modifiedAt(one)) !== undefined;
  return !(await isThere(place)) && (await isThere(path.dirname(place)));
}
