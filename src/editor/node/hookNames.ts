import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { relativeTo } from '../common/boundary';
import { gitConfigEntries, type GitConfigEntry } from '../common/gitConfig';
import type { FileName } from '../common/globRules';

interface HookNamesOptions {
  readonly isWindows: boolean;
  /** Absolute: where Git's configuration of the user is. */
  readonly home: string;
}

const maxConfigBytes = 1024 * 1024;
/** Of one configuration with all that it includes. */
const maxConfigs = 20;

export const usualHookNamesOptions: HookNamesOptions = { isWindows: process.platform === 'win32', home: homedir() };

/**
 * Other names of a file: those that it has since Git is told by `core.hooksPath` to run hooks from its folder. There they are
 * what `.git/hooks` is elsewhere, so that is what they are called. The configuration is read, never run: Git is not asked.
 * All values that are written count, whichever of them holds; conditions of includes are taken as met. `realPath` and
 * `folders` have all links resolved. Never rejects: a configuration that cannot be read names no folder.
 */
export async function hookNames(
  realPath: string,
  folders: readonly string[],
  { home, isWindows }: HookNamesOptions = usualHookNamesOptions,
): Promise<FileName[]> {
  const roots = await repositoriesAround([path.dirname(realPath), ...folders]);
  if (roots.length === 0) return [];
  const ofUser = await hooksPathsIn(userConfigs(home), home);
  const found = await Promise.all(
    roots.map(async (root) => {
      const own = await hooksPathsIn(await repositoryConfigs(root), home);
      const names = await Promise.all([...new Set([...ofUser, ...own])].map((written) => nameBy(root, written)));
      return names.flatMap((name) => name ?? []);
    }),
  );
  return found.flat();

  async function nameBy(root: string, written: string): Promise<FileName | undefined> {
    const named = path.resolve(root, fromHome(written, home));
    if (isNetworkPath(named)) return undefined;
    const folder = await realpath(named).catch(() => named);
    const below = relativeTo(realPath, folder, isWindows);
    if (below === undefined || below === '') return undefined;
    // A whole workspace is no folder of hooks: of it only what Git would run counts.
    const isAround = folders.some((each) => relativeTo(each, folder, isWindows) !== undefined);
    if (isAround && /[\\/]/.test(below)) return undefined;
    const relativePath = path.join('.git', 'hooks', below);
    return { path: path.join(root, relativePath), relativePath };
  }
}

/** The folders, from these up, that have a `.git`. */
async function repositoriesAround(starts: readonly string[]): Promise<readonly string[]> {
  const all = new Set<string>();
  for (const start of starts) {
    for (let folder = start; !all.has(folder); folder = path.dirname(folder)) all.add(folder);
  }
  const isThere = (folder: string): Promise<boolean> =>
    stat(path.join(folder, '.git')).then(
      () => true,
      () => false,
    );
  const folders = [...all];
  const found = await Promise.all(folders.map(isThere));
  return folders.filter((_folder, at) => found[at]);
}

/** Also those of a worktree or a submodule, whose `.git` is a file that says where they are. */
async function repositoryConfigs(root: string): Promise<readonly string[]> {
  const dotGit = path.join(root, '.git');
  const link = /^gitdir:[ \t]*(.+)$/m.exec((await readSmall(dotGit)) ?? '')?.[1]?.trim();
  const gitFolder = link === undefined ? dotGit : path.resolve(root, link);
  if (isNetworkPath(gitFolder)) return [];
  const common = (await readSmall(path.join(gitFolder, 'commondir')))?.trim();
  const shared = common === undefined ? gitFolder : path.resolve(gitFolder, common);
  return [path.join(shared, 'config'), path.join(gitFolder, 'config.worktree')];
}

function userConfigs(home: string): readonly string[] {
  return [path.join(home, '.gitconfig'), path.join(home, '.config', 'git', 'config'), '/etc/gitconfig'];
}

/** As they are written in these files, and those that they include. */
async function hooksPathsIn(files: readonly string[], home: string): Promise<readonly string[]> {
  const values: string[] = [];
  const seen = new Set(files);
  // A set that grows is gone through to its end.
  for (const file of seen) {
    const entries = gitConfigEntries((await readSmall(file)) ?? '');
    values.push(...entries.filter(isHooksPath).map(({ value }) => value));
    for (const { value } of entries.filter(isInclude)) {
      const included = path.resolve(path.dirname(file), fromHome(value, home));
      if (seen.size < maxConfigs && !isNetworkPath(included)) seen.add(included);
    }
  }
  return values.filter((value) => value !== '' && !value.includes('\0'));
}

function isHooksPath({ section, key }: GitConfigEntry): boolean {
  return section === 'core' && key === 'hookspath';
}

function isInclude({ section, key, value }: GitConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path' && value !== '' && !value.includes('\0');
}

function fromHome(written: string, home: string): string {
  return written === '~' || /^~[\\/]/.test(written) ? path.join(home, written.slice(1)) : written;
}

/** A look at it would tell another machine who the user is. */
function isNetworkPath(file: string): boolean {
  return /^(?:\\\\|\/\/)/.test(file);
}

/** Undefined for what is no file, is too large or cannot be read. Does not wait for a pipe. */
async function readSmall(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const info = await handle.stat();
      if (!info.isFile() || info.size > maxConfigBytes) return undefined;
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
