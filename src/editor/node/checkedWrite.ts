import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rm, rmdir, utimes, type FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../base/common/errors';
import { openFlags } from '../../base/node/openFlags';
import { EditorError } from '../common/editorPort';
import { isAtCheckedPath } from './checkedRead';
import { pathOfOpenFile } from './diskReader';
import type { CheckedPath, PathGuard } from './pathGuard';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = openFlags;

/**
 * Creates a file and its missing folders at the checked path, and detects if a folder of the path is replaced by a link
 * in the meantime. On Linux, each folder is opened relative to its open parent without following links. On other
 * systems, and without /proc, the path is checked again afterwards, and a file created in the wrong place is removed.
 * @throws EditorError `editRejected` if the file exists now or a folder was moved; `saveFailed`
 */
export async function createCheckedFile(
  guard: PathGuard,
  file: CheckedPath,
  contents: Uint8Array,
  getOpenPath = pathOfOpenFile,
  platform = process.platform,
): Promise<void> {
  const folders = new ParentFolders(guard, file, getOpenPath, platform);
  try {
    const name = path.join(await folders.createAll(path.dirname(file.realPath)), path.basename(file.realPath));
    const handle = await withEditorErrors(file, () => open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666));
    try {
      await checkOpenPath(guard, file, handle, getOpenPath(handle));
      await withEditorErrors(file, () => handle.writeFile(contents));
      await checkOpenPath(guard, file, handle, getOpenPath(handle));
    } catch (error) {
      await removeIfSame(name, handle);
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    await folders.removeEmptyCreated();
    throw error;
  } finally {
    await folders.close();
  }
}

/**
 * Overwrites a file. `modifiedAt`: the time of modification that it then has, in milliseconds since the epoch.
 * @throws EditorError `editRejected` if it is no longer at the checked path; `saveFailed`
 */
export async function overwriteCheckedFile(
  guard: PathGuard,
  file: CheckedPath,
  contents: Uint8Array,
  modifiedAt?: number,
): Promise<void> {
  const handle = await withEditorErrors(file, () => open(file.realPath, O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    await checkOpenPath(guard, file, handle, pathOfOpenFile(handle));
    await withEditorErrors(file, async () => {
      await handle.truncate(0);
      await handle.writeFile(contents);
      if (modifiedAt !== undefined) await handle.utimes(new Date(), new Date(modifiedAt));
    });
  } finally {
    await handle.close();
  }
}

/**
 * Like `overwriteCheckedFile`, for a file that another program may still be copying. On Linux, contents that are shorter than the
 * file are renamed into its place, so that the copy can be completed: libuv, with which VS Code copies each saved file to its local
 * history, would wait forever for the rest of a file that was shortened. A file with hard links or of another user is
 * overwritten. Access lists and extended attributes of a replaced file are lost, as in other editors that replace files.
 */
export async function replaceCheckedFile(
  guard: PathGuard,
  file: CheckedPath,
  contents: Uint8Array,
  modifiedAt: number,
): Promise<void> {
  const old = await lstat(file.realPath).catch(() => undefined);
  const isShortened = process.platform === 'linux' && old?.isFile() === true && contents.length < old.size;
  if (!isShortened || old.nlink > 1 || !(await exchange(guard, file, contents, old, modifiedAt)))
    await overwriteCheckedFile(guard, file, contents, modifiedAt);
}

/**
 * Returns false, and leaves the file as it is, if another file can't be put in its place. Not by `replaceFileBy`, which removes old
 * files with names like its temporary one: in the user's folders, these could be the user's.
 */
async function exchange(
  guard: PathGuard,
  file: CheckedPath,
  contents: Uint8Array,
  old: Stats,
  modifiedAt: number,
): Promise<boolean> {
  const temporary = `${file.realPath}.${randomUUID()}.tmp`;
  try {
    await createCheckedFile(guard, await guard.check(temporary), contents);
    const { uid, gid } = await lstat(temporary);
    if (uid !== old.uid || gid !== old.gid) throw new Error('The new file would have another owner.');
    await chmod(temporary, old.mode);
    await utimes(temporary, new Date(), new Date(modifiedAt));
    await rename(temporary, file.realPath);
    return true;
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
    return false;
  }
}

/**
 * Creates the parent folders of a file. On Linux, it keeps them open to detect folders that are moved in the meantime.
 */
class ParentFolders {
  private readonly openHandles: FileHandle[] = [];
  private readonly createdFolders: string[] = [];

  constructor(
    private readonly pathGuard: PathGuard,
    private readonly targetFile: CheckedPath,
    private readonly getOpenPath: typeof pathOfOpenFile,
    private readonly platform: NodeJS.Platform,
  ) {}

  /** Creates the missing folders. Returns a path to the last folder: on Linux, one that uses its file descriptor. */
  async createAll(realPath: string): Promise<string> {
    if (this.platform !== 'linux') return await this.createByPath(realPath);
    const missing: string[] = [];
    let existing = realPath;
    for (;;) {
      const handle = await this.openFolder(existing);
      if (handle) {
        const openPath = this.getOpenPath(handle);
        // Without /proc, files cannot be opened relative to an open folder.
        if (openPath === undefined) return await this.createByPath(realPath);
        await checkOpenPath(this.pathGuard, this.targetFile, handle, openPath, existing);
        return await this.createInside(handle, missing);
      }
      missing.unshift(path.basename(existing));
      existing = path.dirname(existing);
    }
  }

  /** Removes the created folders that are still empty. */
  async removeEmptyCreated(): Promise<void> {
    for (const name of this.createdFolders.reverse()) await rmdir(name).catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const handle of this.openHandles) await handle.close();
  }

  private async createByPath(realPath: string): Promise<string> {
    const first = await withEditorErrors(this.targetFile, () => mkdir(realPath, { recursive: true }));
    if (first === undefined) return realPath;
    const below = path.relative(path.toNamespacedPath(first), path.toNamespacedPath(realPath));
    const depth = below === '' ? 1 : below.split(path.sep).length + 1;
    const made = [realPath];
    while (made.length < depth) made.unshift(path.dirname(made[0] ?? realPath));
    this.createdFolders.push(...made);
    return realPath;
  }

  private async createInside(start: FileHandle, names: readonly string[]): Promise<string> {
    let folder = descriptorPath(start);
    for (const name of names) {
      const below = path.join(folder, name);
      const isNew = await withEditorErrors(this.targetFile, () => createFolder(below));
      if (isNew) this.createdFolders.push(below);
      const handle = await this.openFolder(below);
      if (!handle) throw movedError(this.targetFile);
      folder = descriptorPath(handle);
    }
    return folder;
  }

  /** Returns undefined if the folder does not exist. */
  private async openFolder(name: string): Promise<FileHandle | undefined> {
    try {
      const handle = await open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      this.openHandles.push(handle);
      return handle;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw toEditorError(this.targetFile, error);
    }
  }
}

/** Returns false if the folder already exists. */
async function createFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function descriptorPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** @throws EditorError `editRejected` if the open file or folder is not at the checked path */
async function checkOpenPath(
  guard: PathGuard,
  file: CheckedPath,
  handle: FileHandle,
  openPath: string | undefined,
  realPath?: string,
): Promise<void> {
  const info = await handle.stat({ bigint: true });
  const isThere = await isAtCheckedPath(guard, file, { openPath, info }, realPath).catch(() => false);
  if (!isThere) throw movedError(file);
}

/** Removes the created file, unless another file has replaced it. */
async function removeIfSame(name: string, handle: FileHandle): Promise<void> {
  try {
    const [made, now] = [await handle.stat({ bigint: true }), await lstat(name, { bigint: true })];
    if (made.dev === now.dev && made.ino === now.ino) await rm(name);
  } catch {
    // The file was already removed.
  }
}

async function withEditorErrors<T>(file: CheckedPath, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toEditorError(file, error);
  }
}

function toEditorError(file: CheckedPath, error: unknown): EditorError {
  const code = errorCode(error);
  if (code === 'EEXIST') {
    return new EditorError('editRejected', `${file.path} has just been created. Read it, then edit it.`);
  }
  // A link or file has replaced a folder.
  if (code === 'ELOOP' || code === 'ENOTDIR') return movedError(file);
  return new EditorError('saveFailed', `${file.path} cannot be written: ${messageOf(error)}`, { cause: error });
}

function movedError({ path: name }: CheckedPath): EditorError {
  return new EditorError('editRejected', `A folder of ${name} was moved, so the file was not written. Try again.`);
}
