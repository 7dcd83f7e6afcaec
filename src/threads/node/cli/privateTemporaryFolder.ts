import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

/** Prefix of the folder's name. The id of the process that owns the folder follows. */
const prefix = 'backline-threads-';
const maxExports = 20;

/** A temporary folder that only the current user can read. Created on first use and removed on disposal. */
export class PrivateTemporaryFolder implements Disposable {
  private creation: Promise<string> | undefined;
  private createdPath: string | undefined;
  private isDisposed = false;

  /** `parentFolder` is an absolute path, usually that of the system's folder for temporary files. */
  constructor(private readonly parentFolder: string) {}

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
    await removeAbandoned(this.parentFolder);
    // `mkdtemp` creates the folder with mode 0700.
    const created = await mkdtemp(path.join(this.parentFolder, `${prefix}${process.pid}-`));
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

/** Removes the folders of windows that have crashed. Never rejects. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    const folder = path.join(parent, name);
    const stats = await lstat(folder).catch(() => undefined);
    const isOwn = stats?.isDirectory() === true && (!process.getuid || stats.uid === process.getuid());
    if (isOwn) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
