import { stat } from 'node:fs/promises';
import * as path from 'node:path';

/** Name of the journal of a running restore. It is in the folder's checkpoint storage. */
export const journalName = 'restore.json';

/** Whether one of the stores has the journal of an unfinished restore. Reads no file. Never rejects. */
export async function hasInterruptedRestore(stores: readonly string[]): Promise<boolean> {
  const isThere = (file: string): Promise<boolean> => stat(file).then(Boolean, () => false);
  const found = await Promise.all(stores.map((store) => isThere(path.join(store, journalName))));
  return found.includes(true);
}
