import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Disposable } from '../common/disposable';
import { messageOf } from '../common/errors';
import { isProcessAlive } from './isProcessAlive';

const maxExports = 20;
/** From what age on a folder counts as left behind that does not say which process owned it. */
const abandonedMs = 24 * 60 * 60_000;

/** A temporary folder that only the current user can read. Created on first use and removed on disposal. */
export class PrivateTemporaryFolder implements Disposable {
  /** Of the folder's name. The id of the process that owns the folder follows. */
  private readonly prefix: string;
  private creation: Promise<string> | undefined;
  private createdPath: string | undefined;
  private isDisposed = false;

  /**
   * `parentFolder` is an absolute path, usually that of the system's folder for temporary files. `purpose` is a word for the
   * folder's name.
   */
  constructor(
    private readonly parentFolder: string,
    purpose: string,
  ) {
    this.prefix = `backline-${purpose}-`;
  }

  /** Removes the folders for this purpose that windows which crashed have left. Never rejects. */
  async removeAbandoned(): Promise<void> {
    const { parentFolder, prefix } = this;
    const names = await readdir(parentFolder).catch(() => []);
    for (const name of names) {
      if (!name.startsWith(prefix)) continue;
      const folder = path.join(parentFolder, name);
      // Not the target of a link.
      const stats = await lstat(folder).catch(() => undefined);
      const isOwn = stats?.isDirectory() === true && (!process.getuid || stats.uid === process.getuid());
      if (!isOwn || !isAbandoned(name.slice(prefix.length), stats.mtimeMs)) continue;
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async createOrGetPath(): Promise<string> {
    if (this.isDisposed) throw new Error('The temporary folder was already removed.');
    this.creation ??= this.create().catch((error: unknown) => {
      // The next call tries again, because the parent folder may be available by then.
      this.creation = undefined;
      throw new Error(
        `Could not create a temporary folder in ${this.parentFolder} (${messageOf(error)}). Make this folder writable, then try again.`,
        { cause: error },
      );
    });
    return this.creation;
  }

  /** Moves a finished file to its final path. Deletes the oldest exports if there are too many. */
  async moveInAndDeleteOldest(from: string, to: string): Promise<string> {
    await rename(from, to);
    await this.deleteOldest();
    return to;
  }

  dispose(): void {
    this.isDisposed = true;
    // Removed synchronously, because a closing window does not wait for promises.
    if (this.createdPath !== undefined) rmSync(this.createdPath, { recursive: true, force: true });
  }

  private async create(): Promise<string> {
    await mkdir(this.parentFolder, { recursive: true });
    await this.removeAbandoned();
    // `mkdtemp` creates the folder with mode 0700.
    const created = await mkdtemp(path.join(this.parentFolder, `${this.prefix}${process.pid}-`));
    this.createdPath = created;
    if (this.isDisposed) this.dispose();
    return created;
  }

  private async deleteOldest(): Promise<void> {
    const folder = await this.createOrGetPath();
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    if (names.length <= maxExports) return;
    const files = await Promise.all(names.map((name) => withModifiedTime(path.join(folder, name))));
    const oldest = files.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(maxExports);
    await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
  }
}

async function withModifiedTime(file: string): Promise<{ file: string; mtimeMs: number }> {
  const stats = await stat(file).catch(() => undefined);
  return { file, mtimeMs: stats?.mtimeMs ?? 0 };
}

/** By the part of the name after the prefix. Version 0.1 had no process in the names of its folders. */
function isAbandoned(name: string, modifiedAtMs: number): boolean {
  const pid = /^(\d+)-/.exec(name)?.[1];
  if (pid !== undefined) return !isProcessAlive(Number(pid));
  return /^[A-Za-z0-9]{6}$/.test(name) && Date.now() - modifiedAtMs > abandonedMs;
}
