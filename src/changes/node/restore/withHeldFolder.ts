import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import { openFlags } from '../../../base/node/openFlags';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = openFlags;

/** A parent of the path is a symbolic link or not a folder. */
export class SymlinkInPathError extends Error {
  override readonly name = 'SymlinkInPathError';
}

/**
 * Calls `work` with a path to a folder below `root`. On Linux, the path leads through an open file descriptor, so that
 * replacing the folder with a symbolic link has no effect. On other systems, the path is checked first. `make` creates
 * missing folders. Without it, the result is undefined if the folder does not exist.
 * @throws SymlinkInPathError
 */
export async function withHeldFolder<T>(
  root: string,
  below: readonly string[],
  make: boolean,
  work: (folder: string) => Promise<T>,
): Promise<T | undefined> {
  const handles: FileHandle[] = [];
  const isLinux = process.platform === 'linux';
  try {
    let folder = root;
    if (isLinux) {
      const handle = await openOne(root);
      if (!handle) return undefined;
      handles.push(handle);
      folder = nameOf(handle);
    }
    for (const name of below) {
      const next = path.join(folder, name);
      if (make) await makeOne(next);
      if (isLinux) {
        const handle = await openOne(next);
        if (!handle) return undefined;
        handles.push(handle);
        folder = nameOf(handle);
      } else {
        const info = await lstat(next).catch(() => undefined);
        if (!info) return undefined;
        if (!info.isDirectory()) throw new SymlinkInPathError();
        folder = next;
      }
    }
    return await work(folder);
  } finally {
    for (const handle of handles) await handle.close();
  }
}

async function openOne(folder: string): Promise<FileHandle | undefined> {
  try {
    return await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    throw code === 'ELOOP' || code === 'ENOTDIR' ? new SymlinkInPathError() : error;
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function nameOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
