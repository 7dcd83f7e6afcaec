import * as path from 'node:path';
import { isUncPath } from '../../../base/common/addresses/uncPath';
import { isInsideFolder } from '../../../base/node/isInsideFolder';
import { isFolder as isFolderOnDisk } from '../../../base/node/isFolder';

interface WorkingFolderDeps {
  /** Absolute paths of the workspace folders and their worktrees. The first workspace folder comes first. */
  readonly roots: readonly string[];
  /** Asks the user about a folder outside the roots. Undefined if the user cancels. */
  readonly choose: (folder: string) => Promise<'thread' | 'workspace' | undefined>;
  /** Whether a path is a folder. Tests can replace it. Never called with a UNC path. */
  readonly isFolder?: (path: string) => Promise<boolean>;
}

/**
 * Selects the folder in which work on a thread continues. The user must confirm the folders of the thread, because
 * anyone may have written the thread file. `folder` is an absolute path, or undefined for the system's default.
 * Resolves to undefined if the user cancels.
 */
export async function chooseWorkingFolder(
  folders: readonly string[],
  { roots, choose, isFolder = isFolderOnDisk }: WorkingFolderDeps,
): Promise<{ readonly folder: string | undefined } | undefined> {
  const own = await findFolderInWorkspace(folders, roots, isFolder);
  if (own !== undefined) return { folder: own };
  for (const folder of localFolders(folders)) {
    if (!(await isFolder(folder))) continue;
    const choice = await choose(folder);
    return choice && { folder: choice === 'thread' ? folder : roots[0] };
  }
  return { folder: roots[0] };
}

/** Returns the first folder of a thread that is in the workspace and still exists. */
export async function findFolderInWorkspace(
  folders: readonly string[],
  roots: readonly string[],
  isFolder: (path: string) => Promise<boolean> = isFolderOnDisk,
): Promise<string | undefined> {
  for (const folder of localFolders(folders)) {
    if (roots.some((root) => isSameOrBelow(folder, root)) && (await isFolder(folder))) return folder;
  }
  return undefined;
}

/** Resolves `..` in folders. Drops relative paths and UNC paths. */
function localFolders(folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => path.isAbsolute(folder) && !isUncPath(folder))
    .map((folder) => path.resolve(folder));
}

function isSameOrBelow(folder: string, root: string): boolean {
  return path.relative(root, folder) === '' || isInsideFolder(folder, root);
}
