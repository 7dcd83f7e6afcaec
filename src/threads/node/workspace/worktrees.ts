import { readdir, readFile, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { isUncPath } from '../../../base/common/addresses/uncPath';

const maxParents = 20;
const maxWorktrees = 200;

/** Returns the absolute paths of the folder and of its repository's worktrees, from Git's files, without Git. */
export async function listWorktrees(folder: string): Promise<readonly string[]> {
  const own = [...new Set([folder, await realpath(folder).catch(() => folder)])];
  const gitFolder = await gitFolderOf(folder);
  if (gitFolder === undefined) return own;
  const main = path.basename(gitFolder) === '.git' ? [path.dirname(gitFolder)] : [];
  const names = await readdir(path.join(gitFolder, 'worktrees')).catch(() => []);
  const others = await Promise.all(
    names.slice(0, maxWorktrees).map(async (name) => {
      const link = await textOf(path.join(gitFolder, 'worktrees', name, 'gitdir'));
      return link !== undefined && path.isAbsolute(link) && isSafeLink(link, folder) ? [path.dirname(link)] : [];
    }),
  );
  return [...new Set([...own, ...main, ...others.flat()])];
}

/** Returns the Git folder that all worktrees share. Undefined outside a repository. */
async function gitFolderOf(folder: string): Promise<string | undefined> {
  let current = folder;
  for (let level = 0; level < maxParents; level++) {
    const dotGit = path.join(current, '.git');
    if ((await textOf(path.join(dotGit, 'HEAD'))) !== undefined) return dotGit;
    const link = /^gitdir:\s*(.+)$/.exec((await textOf(dotGit)) ?? '')?.[1];
    if (link !== undefined) {
      if (!isSafeLink(link, folder)) return undefined;
      const own = path.resolve(current, link);
      const shared = await textOf(path.join(own, 'commondir'));
      if (shared === undefined) return own;
      return isSafeLink(shared, folder) ? path.resolve(own, shared) : undefined;
    }
    const parent = path.dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
  return undefined;
}

/** Whether a link in a repository is safe to follow. Opening a UNC path would send credentials to another machine. */
function isSafeLink(link: string, folder: string): boolean {
  return !isUncPath(link) || isUncPath(folder);
}

async function textOf(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => undefined))?.trim();
}
