import { readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { GitHead } from '../../common/gitHead';
import type { UserRepository } from './userRepository';

const maxPackedRefsBytes = 16 * 1024 * 1024;

/** Files and folders in the Git directory that exist while an operation is not finished. */
const unfinishedBy = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const;

/** Returns where a repository stands. Undefined if its files do not say so. Never rejects. */
export async function readGitHead({ commonDir, gitDir }: UserRepository): Promise<GitHead | undefined> {
  const head = await textOf(path.join(gitDir, 'HEAD'));
  const ref = head === undefined ? undefined : /^ref: (refs\/[^\n]+)$/.exec(head)?.[1];
  // In a repository with another format of refs, HEAD is a placeholder.
  if (head === undefined || ref === 'refs/heads/.invalid' || (ref === undefined && !isId(head))) return undefined;
  const packed = await packedRefs(commonDir);
  const idOf = async (name: string): Promise<string | undefined> => {
    const text = await textOf(path.join(commonDir, name));
    return text !== undefined && isId(text) ? text : packed.get(name);
  };
  const [commit, stash, unfinished] = await Promise.all([
    ref === undefined ? head : idOf(ref),
    idOf('refs/stash'),
    findUnfinished(gitDir),
  ]);
  return { branch: ref?.replace(/^refs\/heads\//, ''), commit, stash, unfinished };
}

async function findUnfinished(gitDir: string): Promise<string | undefined> {
  for (const [name, operation] of unfinishedBy) {
    if (await stat(path.join(gitDir, name)).catch(() => undefined)) return operation;
  }
  return undefined;
}

async function packedRefs(commonDir: string): Promise<ReadonlyMap<string, string>> {
  const file = path.join(commonDir, 'packed-refs');
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile() || info.size > maxPackedRefsBytes) return new Map();
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  return new Map(lines.flatMap((line) => (/^[0-9a-f]{40,64} /.test(line) ? [refOf(line)] : [])));
}

function refOf(line: string): [string, string] {
  const end = line.indexOf(' ');
  return [line.slice(end + 1), line.slice(0, end)];
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

async function textOf(file: string): Promise<string | undefined> {
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile() || info.size > 4_096) return undefined;
  return (await readFile(file, 'utf8').catch(() => undefined))?.trim();
}
