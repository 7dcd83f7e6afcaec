import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { olderStoresOf, storeOf, type CheckpointStorageOptions } from './checkpointPlaces';
import { importStore } from './importStore';

/** Gives each folder its checkpoint store, with what older versions and earlier paths of the folder have. */
export class CheckpointStorage {
  constructor(
    private readonly options: CheckpointStorageOptions,
    private readonly log: Logger,
  ) {}

  /** Returns the absolute path of the store of a folder, with what older versions have stored for it. Never rejects. */
  async prepareStoreOf(folder: string): Promise<string> {
    const store = await storeOf(this.options, folder);
    for (const older of await olderStoresOf(this.options, folder)) await this.import(older, store);
    return store;
  }

  /** Adds the checkpoints of a folder that was moved, or has another path now, to those of its new place. Never rejects. */
  async adopt(from: string, to: string): Promise<void> {
    const [source, target] = await Promise.all([storeOf(this.options, from), storeOf(this.options, to)]);
    if (source === target) return;
    for (const store of [...(await olderStoresOf(this.options, from)), source]) await this.import(store, target);
  }

  private async import(from: string, to: string): Promise<void> {
    try {
      await importStore(from, to);
    } catch (error) {
      // The next start tries again.
      this.log.warn(`Earlier checkpoints in ${from} were not taken over: ${messageOf(error)}`);
    }
  }
}
