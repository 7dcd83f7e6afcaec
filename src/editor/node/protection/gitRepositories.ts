import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { isGitHead } from '../../common/protection/gitFolder';
import { readSmallFile, readStartOfFile } from './readSmallFile';

/** A folder that Git would take for a repository, or would if the folders that it names were complete. Paths are absolute. */
export interface Repository {
  /** The folder that relative paths in its configuration refer to. */
  readonly root: string;
  /** Real paths of the folder with `HEAD` and, if different, the one that it shares with other worktrees. */
  readonly gitFolders: readonly string[];
}

/** Returns false for paths on other machines outside the workspace. */
type CanAccess = (file: string) => boolean;

const maxPointerBytes = 1024 * 1024;
/** The longest path that Linux accepts, in bytes. */
const maxPathLength = 4096;
/** How much of a `HEAD` Git reads. */
const headBytes = 256;
/** Maximum number of folders that are searched for repositories in each workspace folder. */
const maxNested = 500;

/**
 * Returns the repositories around the files, and those in the given folders, in their parents, and one level below. Git folders
 * with any name are found by their content.
 */
export async function findRepositories(
  files: readonly string[],
  folders: readonly string[],
  canAccess: CanAccess,
): Promise<readonly Repository[]> {
  const nested = await Promise.all(folders.map(subfolders));
  const starts = [...files.map((file) => path.dirname(file)), ...folders];
  const roots = new Set([...starts.flatMap(parentsOf), ...nested.flat()]);
  const found = await Promise.all(
    [...roots].flatMap((root) => [repositoryWithDotGit(root, canAccess), repositoryInItself(root, canAccess)]),
  );
  return found.flatMap((repository) => repository ?? []);
}

/** Whether the folder has a `.git`, of any kind. */
export async function hasDotGit(folder: string): Promise<boolean> {
  return await exists(path.join(folder, '.git'));
}

export async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

/** Returns the folder and its parents. */
export function parentsOf(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}

/** Follows a `.git` file, as in worktrees and submodules, also if the folder that it names is missing. */
async function repositoryWithDotGit(root: string, canAccess: CanAccess): Promise<Repository | undefined> {
  const dotGit = path.join(root, '.git');
  if (!(await hasDotGit(root))) return undefined;
  const pointer = /^gitdir: (.+)$/s.exec((await readPointer(dotGit, canAccess)) ?? '')?.[1];
  return await repositoryOf(root, pointer === undefined ? dotGit : path.resolve(root, pointer), canAccess);
}

/** Returns a repository if the folder has a `HEAD` that Git accepts, as a bare repository does. */
async function repositoryInItself(folder: string, canAccess: CanAccess): Promise<Repository | undefined> {
  if (!canAccess(folder)) return undefined;
  const head = path.join(folder, 'HEAD');
  // Git does not follow a link into `refs`.
  const link = await readlink(head).catch(() => '');
  const isHead = /^refs[\\/]/i.test(link) || isGitHead((await readStartOfFile(head, headBytes)) ?? '');
  return isHead ? await repositoryOf(folder, folder, canAccess) : undefined;
}

async function repositoryOf(root: string, gitFolder: string, canAccess: CanAccess): Promise<Repository> {
  const common = await readPointer(path.join(gitFolder, 'commondir'), canAccess);
  const named = common === undefined ? [gitFolder] : [gitFolder, path.resolve(gitFolder, common)];
  const real = await Promise.all(named.filter(canAccess).map(realPathOf));
  return { root, gitFolders: real.filter(canAccess) };
}

async function readPointer(file: string, canAccess: CanAccess): Promise<string | undefined> {
  const text = canAccess(file) ? await readSmallFile(file, maxPointerBytes) : undefined;
  const pointer = text?.replace(/[\r\n]+$/, '');
  return pointer === undefined || pointer.length > maxPathLength || pointer.includes('\0') ? undefined : pointer;
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.slice(0, maxNested).map(({ name }) => path.join(folder, name));
}

/** Resolves links of the nearest existing parent for a missing file. */
export async function realPathOf(file: string): Promise<string> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined) return real;
  if (file.length > maxPathLength) return file;
  const parent = path.dirname(file);
  return parent === file ? file : path.join(await realPathOf(parent), path.basename(file));
}
