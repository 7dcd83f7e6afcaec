import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { toFileUri } from '../../base/common/fileUri';
import { isBelow } from '../common/providerUri';

/** Whether a module is a file of one of the folders, whatever spelling or links lead there. All are URIs. */
export async function isCodeOf(folders: readonly string[], url: string): Promise<boolean> {
  if (folders.length === 0) return false;
  const file = await realUri(url);
  const real = await Promise.all(folders.map(realUri));
  return [...real, ...folders].some((folder) => isBelow(file, folder) || isBelow(url, folder));
}

/** The URI itself where there is nothing, or nothing on this disk. */
async function realUri(uri: string): Promise<string> {
  if (!uri.startsWith('file:')) return uri;
  try {
    return toFileUri(await realpath(fileURLToPath(uri)));
  } catch {
    // What is not there cannot be run.
    return uri;
  }
}
