import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { hasInterruptedRestore } from '../restore/hasInterruptedRestore';

export interface CheckpointStorageOptions {
  /** Absolute path of the folder for the stores of all workspace folders. It need not exist. */
  readonly storageFolder: string;
  /** Where older versions have their stores: one folder of stores for each workspace. */
  readonly olderStorage?: OlderStorage | undefined;
}

interface OlderStorage {
  /** Absolute path of the folder in which VS Code has a folder for each workspace. */
  readonly root: string;
  /** Path of the folder of stores below the folder of a workspace. */
  readonly below: string;
}

/** Returns where the stores are. `globalStorage` is VS Code's folder for this extension, as an absolute path. */
export function checkpointStorageIn(globalStorage: string): CheckpointStorageOptions {
  const user = path.dirname(path.dirname(globalStorage));
  return {
    storageFolder: path.join(globalStorage, 'checkpoints'),
    // Versions before this one had them in VS Code's folder for the workspace, which is next to the global one.
    olderStorage: {
      root: path.join(user, 'workspaceStorage'),
      below: path.join(path.basename(globalStorage), 'checkpoints'),
    },
  };
}

/** Whether a restore of files in these folders was interrupted, also in an older version. Never rejects. */
export async function hasInterruptedRestoreIn(
  options: CheckpointStorageOptions,
  folders: readonly string[],
): Promise<boolean> {
  const stores = folders.map(async (folder) => [
    await storeOf(options, folder),
    ...(await olderStoresOf(options, folder)),
  ]);
  return await hasInterruptedRestore((await Promise.all(stores)).flat());
}

/**
 * Returns the absolute path of the store of a folder, which need not exist. A store belongs to a folder by the folder's real path,
 * and not to a workspace, so that every window finds it. Never rejects.
 */
export async function storeOf({ storageFolder }: CheckpointStorageOptions, folder: string): Promise<string> {
  return path.join(storageFolder, keyOf(await realPath(folder)));
}

/** Returns the absolute paths where older versions may have stores of a folder. Never rejects. */
export async function olderStoresOf(
  { olderStorage }: CheckpointStorageOptions,
  folder: string,
): Promise<readonly string[]> {
  if (olderStorage === undefined) return [];
  const keys = new Set([keyOf(folder), keyOf(await realPath(folder))]);
  const workspaces = await readdir(olderStorage.root).catch(() => []);
  return workspaces.flatMap((name) =>
    [...keys].map((key) => path.join(olderStorage.root, name, olderStorage.below, key)),
  );
}

async function realPath(folder: string): Promise<string> {
  return await realpath(folder).catch(() => path.normalize(folder));
}

function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}
