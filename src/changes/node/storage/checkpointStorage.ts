import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { hasInterruptedRestore } from '../restore/hasInterruptedRestore';
import { importStore } from './importStore';

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
  log: Logger,
): Promise<boolean> {
  const storage = new CheckpointStorage(options, log);
  const stores = await Promise.all(folders.map((folder) => storage.allStoresOf(folder)));
  return await hasInterruptedRestore(stores.flat());
}

/**
 * The places of the checkpoint stores on disk. A store belongs to a folder by the folder's real path, and not to a
 * workspace, so that every window finds it.
 */
export class CheckpointStorage {
  constructor(
    private readonly options: CheckpointStorageOptions,
    private readonly log: Logger,
  ) {}

  /** Returns the absolute path of the store of a folder, with what older versions have stored for it. Never rejects. */
  async prepareStoreOf(folder: string): Promise<string> {
    const store = await this.storeOf(folder);
    for (const older of await this.olderStoresOf(folder)) await this.import(older, store);
    return store;
  }

  /** Returns the absolute paths of all stores of a folder, which need not exist. Never rejects. */
  async allStoresOf(folder: string): Promise<readonly string[]> {
    return [await this.storeOf(folder), ...(await this.olderStoresOf(folder))];
  }

  /** Adds the checkpoints of a folder that was moved, or has another path now, to those of its new place. Never rejects. */
  async adopt(from: string, to: string): Promise<void> {
    const [source, target] = await Promise.all([this.storeOf(from), this.storeOf(to)]);
    if (source === target) return;
    for (const store of [...(await this.olderStoresOf(from)), source]) await this.import(store, target);
  }

  private async storeOf(folder: string): Promise<string> {
    return path.join(this.options.storageFolder, keyOf(await realPath(folder)));
  }

  private async import(from: string, to: string): Promise<void> {
    try {
      await importStore(from, to);
    } catch (error) {
      // The next start tries again.
      this.log.warn(`Earlier checkpoints in ${from} were not taken over: ${messageOf(error)}`);
    }
  }

  private async olderStoresOf(folder: string): Promise<readonly string[]> {
    const { olderStorage } = this.options;
    if (olderStorage === undefined) return [];
    const keys = new Set([keyOf(folder), keyOf(await realPath(folder))]);
    const workspaces = await readdir(olderStorage.root).catch(() => []);
    return workspaces.flatMap((name) =>
      [...keys].map((key) => path.join(olderStorage.root, name, olderStorage.below, key)),
    );
  }
}

async function realPath(folder: string): Promise<string> {
  return await realpath(folder).catch(() => path.normalize(folder));
}

function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}
