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
  createFolders(): void {
    this.primaryLockfile.createFolder();
    this.optionalLockfiles = this.optionalLockfiles.filter((lockfile) => {
      try {
        lockfile.createFolder();
        return true;
      } catch (error) {
        this.warnAboutOptional(error);
        return false;
      }
    });
  }

  async removeStale(): Promise<void> {
    await Promise.all(this.allLockfiles.map((lockfile) => lockfile.removeStale()));
  }

  isLockfileTaken(port: number): boolean {
    return this.allLockfiles.some((lockfile) => lockfile.isLockfileTaken(port));
  }

  async write(port: number, authToken: string, workspaceFolders: readonly string[]): Promise<void> {
    const others = this.optionalLockfiles.map((lockfile) =>
      lockfile.write(port, authToken, workspaceFolders).catch((error: unknown) => this.warnAboutOptional(error)),
    );
    await Promise.all([this.primaryLockfile.write(port, authToken, workspaceFolders), ...others]);
  }

  async whenIdle(): Promise<void> {
    await Promise.all(this.allLockfiles.map((lockfile) => lockfile.whenIdle()));
  }

  dispose(): void {
    for (const lockfile of this.allLockfiles) lockfile.dispose();
  }

  private get allLockfiles(): readonly ServerLockfile[] {
    return [this.primaryLockfile, ...this.optionalLockfiles];
  }

  private warnAboutOptional(error: unknown): void {
    this.log.warn(`Amp clients that ignore XDG_DATA_HOME may not find this window: ${messageOf(error)}`);
  }
}
