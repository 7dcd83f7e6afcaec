import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { OuterIgnoreRules } from '../../common/checkpoint';
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
 * Returns the paths that the `.gitignore` files of a tree ignore, together with rules from outside the tree. If such a
 * path became visible only because a rule changed, its file existed before, so a restore must not delete it.
 */
export async function findIgnoredByTree(
  repository: PrivateRepository,
  reader: TreeReader,
  tree: string,
  { parents, patterns, prefix }: OuterIgnoreRules,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const top = path.join(repository.place.gitDir, `ignore-${randomUUID()}`);
  const other = repository.withWorkTree(top, prefix);
  try {
    await mkdir(other.place.folder, { recursive: true, mode: 0o700 });
    const names = prefix.split('/').slice(0, -1);
    const files = new Map<string, string | Uint8Array>();
    for (const [depth, text] of parents.entries())
      files.set(path.join(top, ...names.slice(0, depth), '.gitignore'), text);
    for (const [name, content] of await reader.readIgnoreFiles(tree, signal)) {
      files.set(path.join(other.place.folder, name), content);
    }
    // Patterns in a `.gitignore` take precedence over the others, as later lines do.
    const first = path.join(top, '.gitignore');
    files.set(first, `${patterns}\n${Buffer.from(files.get(first) ?? '').toString()}`);
    for (const [file, content] of files) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    return await findIgnored(other, paths, undefined, signal);
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}
