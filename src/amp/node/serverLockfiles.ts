import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { ServerLockfile, type ServerLockfileOptions } from './serverLockfile';

interface ServerLockfilesOptions extends Omit<ServerLockfileOptions, 'folder'> {
  /** Absolute paths of the folders; see `ampLockfileFolders`. Only the first one is required. */
  readonly folders: readonly [string, ...string[]];
}

/** The lockfiles of one server, one per folder in which clients may look. The methods are `ServerLockfile`'s. */
export class ServerLockfiles implements Disposable {
  private readonly primaryLockfile: ServerLockfile;
  private optionalLockfiles: readonly ServerLockfile[];
  private readonly log: Logger;

  constructor({ folders: [first, ...others], ...options }: ServerLockfilesOptions) {
    this.log = options.log;
    this.primaryLockfile = new ServerLockfile({ ...options, folder: first });
    this.optionalLockfiles = others.map((folder) => new ServerLockfile({ ...options, folder }));
  }

  /** Creates the folders. Ignores an unusable folder unless it is the first one. @throws Error that explains what to do */
  async createFolders(): Promise<void> {
    await this.primaryLockfile.createFolder();
    const usable = await Promise.all(
      this.optionalLockfiles.map((store) => this.runForOptionalLockfiles(() => store.createFolder())),
    );
    this.optionalLockfiles = this.optionalLockfiles.filter((_store, index) => usable[index]);
  }

  async removeStale(): Promise<void> {
    await Promise.all(this.allLockfiles.map((store) => store.removeStale()));
  }

  async isPortTaken(port: number): Promise<boolean> {
    return (await Promise.all(this.allLockfiles.map((store) => store.isPortTaken(port)))).includes(true);
  }

  async write(port: number, authToken: string, workspaceFolders: readonly string[]): Promise<void> {
    const others = this.optionalLockfiles.map((store) =>
      this.runForOptionalLockfiles(() => store.write(port, authToken, workspaceFolders)),
    );
    await Promise.all([this.primaryLockfile.write(port, authToken, workspaceFolders), ...others]);
  }

  async whenIdle(): Promise<void> {
    await Promise.all(this.allLockfiles.map((store) => store.whenIdle()));
  }

  dispose(): void {
    for (const store of this.allLockfiles) store.dispose();
  }

  private get allLockfiles(): readonly ServerLockfile[] {
    return [this.primaryLockfile, ...this.optionalLockfiles];
  }

  private async runForOptionalLockfiles(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.log.warn(`A client of the document may not find this window: ${messageOf(error)}`);
      return false;
    }
  }
}
