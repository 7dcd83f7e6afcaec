import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { LockfileStore, type LockfileStoreOptions } from './lockfileStore';

interface LockfilesOptions extends Omit<LockfileStoreOptions, 'folder'> {
  /** Absolute paths; see `ampLockfileFolders`. Only the first folder is required. */
  readonly folders: readonly [string, ...string[]];
}

/** The lockfile of one server, in every folder where clients may look for it. Methods are those of `LockfileStore`. */
export class Lockfiles implements Disposable {
  private readonly first: LockfileStore;
  private others: readonly LockfileStore[];
  private readonly log: Logger;

  constructor({ folders: [first, ...others], ...options }: LockfilesOptions) {
    this.log = options.log;
    this.first = new LockfileStore({ ...options, folder: first });
    this.others = others.map((folder) => new LockfileStore({ ...options, folder }));
  }

  /** Ignores folders other than the first one if they are not usable. @throws Error that says what to do */
  async open(): Promise<void> {
    await this.first.open();
    const usable = await Promise.all(this.others.map((store) => this.succeeds(() => store.open())));
    this.others = this.others.filter((_store, index) => usable[index]);
  }

  async sweep(): Promise<void> {
    await Promise.all(this.all.map((store) => store.sweep()));
  }

  async isTaken(port: number): Promise<boolean> {
    return (await Promise.all(this.all.map((store) => store.isTaken(port)))).includes(true);
  }

  async write(port: number, authToken: string, workspaceFolders: readonly string[]): Promise<void> {
    const others = this.others.map((store) => this.succeeds(() => store.write(port, authToken, workspaceFolders)));
    await Promise.all([this.first.write(port, authToken, workspaceFolders), ...others]);
  }

  async idle(): Promise<void> {
    await Promise.all(this.all.map((store) => store.idle()));
  }

  dispose(): void {
    for (const store of this.all) store.dispose();
  }

  private get all(): readonly LockfileStore[] {
    return [this.first, ...this.others];
  }

  private async succeeds(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.log.warn(`A client of the document may not find this window: ${messageOf(error)}`);
      return false;
    }
  }
}
