import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { joinNul } from '../../common/nameList';
import type { PrivateRepository } from './privateRepository';
import type { TreeReader } from './treeReader';

/** Returns the ignored paths of the work tree. Paths in `index` are not ignored; without it, patterns decide. */
export async function findIgnored(
  repository: PrivateRepository,
  paths: readonly string[],
  index: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  // The prefix is needed because file names may begin with Git's pathspec characters.
  const input = joinNul(paths.map((name) => `./${name}`));
  const args = ['check-ignore', '-z', '--stdin', ...(index === undefined ? ['--no-index'] : [])];
  const call = { args, input, allowedCodes: [0, 1], isLiteral: false, signal };
  const found = await repository.runForItems(index === undefined ? call : { ...call, index });
  return new Set(found.map((name) => name.slice(2)));
}

/**
 * Returns the paths that the `.gitignore` files of a tree ignore. If such a path became visible only because a
 * `.gitignore` changed, its file existed before, so a restore must not delete it.
 */
export async function findIgnoredByTree(
  repository: PrivateRepository,
  reader: TreeReader,
  tree: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const top = path.join(repository.place.gitDir, `ignore-${randomUUID()}`);
  const other = repository.withWorkTree(top);
  try {
    await mkdir(other.place.folder, { recursive: true, mode: 0o700 });
    await copyParentRules(repository, top);
    for (const [name, content] of await reader.readIgnoreFiles(tree, signal)) {
      const file = path.join(other.place.folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    return await findIgnored(other, paths, undefined, signal);
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/** Copies the patterns of parent folders, because they also apply. */
async function copyParentRules({ place, folderPrefix }: PrivateRepository, top: string): Promise<void> {
  const names = folderPrefix.split('/').slice(0, -1);
  for (let depth = 0; depth < names.length; depth++) {
    const below = path.join(...names.slice(0, depth), '.gitignore');
    await copyFile(path.join(place.top, below), path.join(top, below)).catch(() => undefined);
  }
}
