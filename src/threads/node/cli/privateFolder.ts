import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

/** Then the process it belongs to. */
const prefix = 'backline-threads-';
/** Exports that are kept. */
const maxFiles = 20;

/** A temporary folder that only this user may read, made when it is first needed and removed at the end. */
export class PrivateFolder implements Disposable {
  private made: Promise<string> | undefined;
  private madePath: string | undefined;
  private isDisposed = false;

  /** `parent` is absolute, usually the system's folder for temporary files. */
  constructor(private readonly parent: string) {}

  async path(): Promise<string> {
    if (this.isDisposed) throw new Error('The temporary folder is gone already.');
    this.made ??= this.make().catch((error: unknown) => {
      // Tried again with the next need: a folder for temporary files may come back.
      this.made = undefined;
      throw new Error(
        `No temporary folder can be made in ${this.parent} (${messageOf(error)}). Make it a folder that you can write to.`,
        { cause: error },
      );
    });
    return this.made;
  }

  /** Moves a finished file into its place, and lets the oldest ones go. */
  async replace(from: string, to: string): Promise<string> {
    await rename(from, to);
    await this.tidy();
    return to;
  }

  dispose(): void {
    this.isDisposed = true;
    // Now: nobody waits for what is left of a window that closes.
    if (this.madePath !== undefined) rmSync(this.madePath, { recursive: true, force: true });
  }

  private async make(): Promise<string> {
    await mkdir(this.parent, { recursive: true });
    await sweep(this.parent);
    // With the rights 0700.
    const made = await mkdtemp(path.join(this.parent, `${prefix}${process.pid}-`));
    this.madePath = made;
    if (this.isDisposed) this.dispose();
    return made;
  }

  private async tidy(): Promise<void> {
    const folder = await this.path();
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    if (names.length <= maxFiles) return;
    const files = await Promise.all(names.map((name) => agedFile(path.join(folder, name))));
    const oldest = files.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(maxFiles);
    await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
  }
}

async function agedFile(file: string): Promise<{ file: string; mtimeMs: number }> {
  const found = await stat(file).catch(() => undefined);
  return { file, mtimeMs: found?.mtimeMs ?? 0 };
}

/** A window that crashed could not remove its own. Never rejects: what cannot be removed stays. */
async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    const folder = path.join(parent, name);
    const found = await lstat(folder).catch(() => undefined);
    const isOwn = found?.isDirectory() === true && (!process.getuid || found.uid === process.getuid());
    if (isOwn) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
