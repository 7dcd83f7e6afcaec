import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** The journal of a running restore, in the storage of a folder’s checkpoints. */
export const journalName = 'restore.json';

/** Whether one of the stores below a folder has the journal of a restore that has not ended. Reads no file. Never rejects. */
export async function hasInterruptedRestore(storageFolder: string): Promise<boolean> {
  const stores = await readdir(storageFolder).catch(() => []);
  const isThere = (file: string): Promise<boolean> => stat(file).then(Boolean, () => false);
  const found = await Promise.all(stores.map((name) => isThere(path.join(storageFolder, name, journalName))));
  return found.includes(true);
}
