import { lstat, mkdir, open, rm, rmdir, type FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../base/common/errors';
import { openFlags } from '../../base/node/openFlags';
import { EditorError } from '../common/editorPort';
import { isInPlace } from './checkedRead';
import { placeOf } from './diskReader';
import type { CheckedPath, PathGuard } from './pathGuard';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = openFlags;

/**
 * Creates a file, and the folders it needs, at the place that was checked. Any folder of the path may be swapped for a
 * link meanwhile. On Linux each folder is looked up in the one above it, which is open, and links are not followed, so
 * nothing is made anywhere else. Elsewhere, and without /proc, the path is checked again, and a file in another place is
 * removed. `tellPlace` says where an open file is.
 * @throws EditorError `editRejected` when there is a file by now or the place has moved, `saveFailed`
 */
export async function createChecked(
  guard: PathGuard,
  file: CheckedPath,
  contents: Uint8Array,
  tellPlace = placeOf,
  platform = process.platform,
): Promise<void> {
  const folders = new OpenFolders(guard, file, tellPlace, platform);
  try {
    const name = path.join(await folders.open(path.dirname(file.realPath)), path.basename(file.realPath));
    const handle = await explained(file, () => open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666));
    try {
      await checkPlace(guard, file, handle, tellPlace(handle));
      await explained(file, () => handle.writeFile(contents));
      await checkPlace(guard, file, handle, tellPlace(handle));
    } catch (error) {
      await removeIfSame(name, handle);
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    await folders.removeMade();
    throw error;
  } finally {
    await folders.close();
  }
}

/**
 * Makes `contents` the whole of a file that is there, when it is still at the place that was checked.
 * @throws EditorError `editRejected` when it has moved, `saveFailed`
 */
export async function overwriteChecked(guard: PathGuard, file: CheckedPath, contents: Uint8Array): Promise<void> {
  const handle = await explained(file, () => open(file.realPath, O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    await checkPlace(guard, file, handle, placeOf(handle));
    await explained(file, async () => {
      await handle.truncate(0);
      await handle.writeFile(contents);
    });
  } finally {
    await handle.close();
  }
}

/** The folders on the way to a new file. On Linux they are open, and a name below one means that one, wherever it is by now. */
class OpenFolders {
  private readonly handles: FileHandle[] = [];
  private readonly made: string[] = [];

  constructor(
    private readonly guard: PathGuard,
    private readonly file: CheckedPath,
    private readonly tellPlace: typeof placeOf,
    private readonly platform: NodeJS.Platform,
  ) {}

  /** Makes the folders that are missing. Returns the name by which the last one is used. */
  async open(realPath: string): Promise<string> {
    if (this.platform !== 'linux') return await this.makeByName(realPath);
    const missing: string[] = [];
    let existing = realPath;
    for (;;) {
      const handle = await this.openOne(existing);
      if (handle) {
        const place = this.tellPlace(handle);
        // Without /proc, nothing can be looked up in an open folder.
        if (place === undefined) return await this.makeByName(realPath);
        await checkPlace(this.guard, this.file, handle, place, existing);
        return await this.makeBelow(handle, missing);
      }
      missing.unshift(path.basename(existing));
      existing = path.dirname(existing);
    }
  }

  /** What was made for a file that has not come about. Folders that somebody else uses by now stay. */
  async removeMade(): Promise<void> {
    for (const name of this.made.reverse()) await rmdir(name).catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const handle of this.handles) await handle.close();
  }

  private async makeByName(realPath: string): Promise<string> {
    const first = await explained(this.file, () => mkdir(realPath, { recursive: true }));
    if (first === undefined) return realPath;
    const below = path.relative(path.toNamespacedPath(first), path.toNamespacedPath(realPath));
    const depth = below === '' ? 1 : below.split(path.sep).length + 1;
    const made = [realPath];
    while (made.length < depth) made.unshift(path.dirname(made[0] ?? realPath));
    this.made.push(...made);
    return realPath;
  }

  private async makeBelow(start: FileHandle, names: readonly string[]): Promise<string> {
    let folder = nameOf(start);
    for (const name of names) {
      const below = path.join(folder, name);
      const isNew = await explained(this.file, () => makeOne(below));
      if (isNew) this.made.push(below);
      const handle = await this.openOne(below);
      if (!handle) throw moved(this.file);
      folder = nameOf(handle);
    }
    return folder;
  }

  /** Undefined when it is not there. */
  private async openOne(name: string): Promise<FileHandle | undefined> {
    try {
      const handle = await open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      this.handles.push(handle);
      return handle;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw toEditorError(this.file, error);
    }
  }
}

/** Returns false when it is there already. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function nameOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** @throws EditorError `editRejected` when the open file, or a folder above it, is not where it was checked to be */
async function checkPlace(
  guard: PathGuard,
  file: CheckedPath,
  handle: FileHandle,
  place: string | undefined,
  realPath?: string,
): Promise<void> {
  const info = await handle.stat({ bigint: true });
  const isThere = await isInPlace(guard, file, { place, info }, realPath).catch(() => false);
  if (!isThere) throw moved(file);
}

/** Removes the file that was just made, and not one that has taken its name since. */
async function removeIfSame(name: string, handle: FileHandle): Promise<void> {
  try {
    const [made, now] = [await handle.stat({ bigint: true }), await lstat(name, { bigint: true })];
    if (made.dev === now.dev && made.ino === now.ino) await rm(name);
  } catch {
    // It has gone already.
  }
}

async function explained<T>(file: CheckedPath, work: () => Promise<T>): Promise<T> {
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
  // A link, or no folder, where there was a folder.
  if (code === 'ELOOP' || code === 'ENOTDIR') return moved(file);
  return new EditorError('saveFailed', `${file.path} cannot be written: ${messageOf(error)}`, { cause: error });
}

function moved({ path: name }: CheckedPath): EditorError {
  return new EditorError('editRejected', `A folder of ${name} was moved meanwhile, so it was not written. Try again.`);
}
