import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** Name of the journal of a running restore. It is in the folder's checkpoint storage. */
export const journalName = 'restore.json';

/** Whether a store below the folder has the journal of an unfinished restore. Reads no file. Never rejects. */
export async function hasInterruptedRestore(storageFolder: string): Promise<boolean> {
  const stores = await readdir(storageFolder).catch(() => []);
  const isThere = (file: string): Promise<boolean> => stat(file).then(Boolean, () => false);
  const found = await Promise.all(stores.map((name) => isThere(path.join(storageFolder, name, journalName))));
  return found.includes(true);
}
