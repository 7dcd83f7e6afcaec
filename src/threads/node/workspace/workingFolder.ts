import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import { isUncPath } from '../../../base/common/uncPath';
import { isBelow } from '../../../base/node/isBelow';

/** Where work on a thread goes on. A thread is a file that anybody may have written: its folders are only a proposal. */

interface WorkingFolderPorts {
  /** Absolute, of the workspace, with its worktrees, the workspace's first one first. */
  readonly roots: readonly string[];
  /** Asked for a folder outside of the roots. Undefined when the user wants neither. */
  readonly choose: (folder: string) => Promise<'there' | 'workspace' | undefined>;
  /** For tests. Never asked for a path of another machine. */
  readonly isFolder?: (path: string) => Promise<boolean>;
}

/** `folder` is absolute; undefined for wherever the system begins. The whole is undefined when the user has cancelled. */
export async function workingFolder(
  folders: readonly string[],
  { roots, choose, isFolder = isFolderHere }: WorkingFolderPorts,
): Promise<{ readonly folder: string | undefined } | undefined> {
  const own = await knownFolder(folders, roots, isFolder);
  if (own !== undefined) return { folder: own };
  for (const folder of localFolders(folders)) {
    if (!(await isFolder(folder))) continue;
    const choice = await choose(folder);
    return choice && { folder: choice === 'there' ? folder : roots[0] };
  }
  return { folder: roots[0] };
}

/** The first of a thread's folders that is in the workspace and still there. */
export async function knownFolder(
  folders: readonly string[],
  roots: readonly string[],
  isFolder: (path: string) => Promise<boolean> = isFolderHere,
): Promise<string | undefined> {
  for (const folder of localFolders(folders)) {
    if (roots.some((root) => isSameOrBelow(folder, root)) && (await isFolder(folder))) return folder;
  }
  return undefined;
}

/** Without `..`, and without those of other machines. */
function localFolders(folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => path.isAbsolute(folder) && !isUncPath(folder))
    .map((folder) => path.resolve(folder));
}

function isSameOrBelow(folder: string, root: string): boolean {
  return path.relative(root, folder) === '' || isBelow(folder, root);
}

async function isFolderHere(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true;
}
