import { readdir, readFile, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { isUncPath } from '../../../base/common/uncPath';

const maxParents = 20;
const maxWorktrees = 200;

/** The folder, and the worktrees of the repository that it is in, as git keeps them in its files. Absolute. */
export async function withWorktrees(folder: string): Promise<readonly string[]> {
  const own = [...new Set([folder, await realpath(folder).catch(() => folder)])];
  const gitFolder = await gitFolderOf(folder);
  if (gitFolder === undefined) return own;
  const main = path.basename(gitFolder) === '.git' ? [path.dirname(gitFolder)] : [];
  const names = await readdir(path.join(gitFolder, 'worktrees')).catch(() => []);
  const others = await Promise.all(
    names.slice(0, maxWorktrees).map(async (name) => {
      const link = await textOf(path.join(gitFolder, 'worktrees', name, 'gitdir'));
      return link !== undefined && path.isAbsolute(link) && isHere(link, folder) ? [path.dirname(link)] : [];
    }),
  );
  return [...new Set([...own, ...main, ...others.flat()])];
}

/** The one that all worktrees share; undefined outside of a repository. */
async function gitFolderOf(folder: string): Promise<string | undefined> {
  let at = folder;
  for (let level = 0; level < maxParents; level++) {
    const dotGit = path.join(at, '.git');
    if ((await textOf(path.join(dotGit, 'HEAD'))) !== undefined) return dotGit;
    const link = /^gitdir:\s*(.+)$/.exec((await textOf(dotGit)) ?? '')?.[1];
    if (link !== undefined) {
      if (!isHere(link, folder)) return undefined;
      const own = path.resolve(at, link);
      const shared = await textOf(path.join(own, 'commondir'));
      if (shared === undefined) return own;
      return isHere(shared, folder) ? path.resolve(own, shared) : undefined;
    }
    const parent = path.dirname(at);
    if (parent === at) return undefined;
    at = parent;
  }
  return undefined;
}

/** Files in a repository may name folders of other machines, which would be asked for the user's name and password. */
function isHere(link: string, folder: string): boolean {
  return !isUncPath(link) || isUncPath(folder);
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}
