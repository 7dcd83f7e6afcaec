import { open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { isOnOtherMachine } from '../../base/common/uncPath';
import { openFlags } from '../../base/node/openFlags';
import { relativeTo } from '../common/boundary';
import { gitConfigEntries, type GitConfigEntry } from '../common/gitConfig';
import type { FileName } from '../common/globRules';

interface HookNamesOptions {
  readonly isWindows: boolean;
  /** Absolute: where Git's configuration of the user is. */
  readonly home: string;
  /** Where Git looks for it elsewhere: `XDG_CONFIG_HOME`, `GIT_CONFIG_GLOBAL`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const maxConfigBytes = 1024 * 1024;
/** Of one configuration with all that it includes. */
const maxConfigs = 20;

export const usualHookNamesOptions: HookNamesOptions = {
  isWindows: process.platform === 'win32',
  home: homedir(),
  env: process.env,
};

/**
 * Other names of a file: those that it has since Git is told by `core.hooksPath` to run hooks from its folder, or to include
 * it in its configuration. It is what `.git/hooks` or `.git/config` is elsewhere, so that is what it is called. The configuration is read, never run: Git is not asked.
 * All values that are written count, whichever of them holds; conditions of includes are taken as met. `realPath` and
 * `folders` have all links resolved. No other machine is asked, unless the workspace is there. Never rejects: a configuration
 * that cannot be read names no folder.
 */
export async function hookNames(
  realPath: string,
  folders: readonly string[],
  { home, isWindows, env = {} }: HookNamesOptions = usualHookNamesOptions,
): Promise<FileName[]> {
  const roots = await repositoriesAround([path.dirname(realPath), ...folders]);
  if (roots.length === 0) return [];
  const mayBeAsked = (file: string): boolean =>
    !isOnOtherMachine(file) || [...roots, ...folders].some((each) => relativeTo(file, each, isWindows) !== undefined);
  const read = async (file: string): Promise<string | undefined> =>
    mayBeAsked(file) ? await readSmall(file) : undefined;
  const ofUser = await configuredIn(userConfigs(home, env));
  const found = await Promise.all(
    roots.map(async (root) => {
      const own = await configuredIn(await repositoryConfigs(root));
      const hooksPaths = new Set([...ofUser.hooksPaths, ...own.hooksPaths]);
      const configs = new Set([...ofUser.configs, ...own.configs]);
      const names = await Promise.all([
        ...[...hooksPaths].map((written) => nameBy(root, written)),
        ...[...configs].map((config) => nameOfConfig(root, config)),
      ]);
      return names.flatMap((name) => name ?? []);
    }),
  );
  return found.flat();

  async function nameOfConfig(root: string, config: string): Promise<FileName | undefined> {
    if (!mayBeAsked(config)) return undefined;
    if (relativeTo(realPath, await realOf(config), isWindows) !== '') return undefined;
    const relativePath = path.join('.git', 'config');
    return { path: path.join(root, relativePath), relativePath };
  }

  async function nameBy(root: string, written: string): Promise<FileName | undefined> {
    const named = path.resolve(root, fromHome(written, home));
    if (!mayBeAsked(named)) return undefined;
    const folder = await realOf(named);
    const below = relativeTo(realPath, folder, isWindows);
    if (below === undefined || below === '') return undefined;
    // A whole workspace is no folder of hooks: of it only what Git would run counts.
    const isAround = folders.some((each) => relativeTo(each, folder, isWindows) !== undefined);
    if (isAround && /[\\/]/.test(below)) return undefined;
    const relativePath = path.join('.git', 'hooks', below);
    return { path: path.join(root, relativePath), relativePath };
  }

  /** Also those of a worktree or a submodule, whose `.git` is a file that says where they are. */
  async function repositoryConfigs(root: string): Promise<readonly string[]> {
    const dotGit = path.join(root, '.git');
    const link = /^gitdir:[ \t]*(.+)$/m.exec((await read(dotGit)) ?? '')?.[1]?.trim();
    const gitFolder = link === undefined ? dotGit : path.resolve(root, link);
    const common = (await read(path.join(gitFolder, 'commondir')))?.trim();
    const shared = common === undefined ? gitFolder : path.resolve(gitFolder, common);
    return [path.join(shared, 'config'), path.join(gitFolder, 'config.worktree')];
  }

  /** As they are written in these files, and in those that they include. */
  async function configuredIn(
    files: readonly string[],
  ): Promise<{ hooksPaths: readonly string[]; configs: readonly string[] }> {
    const hooksPaths: string[] = [];
    const seen = new Set(files);
    // A set that grows is gone through to its end.
    for (const file of seen) {
      const entries = gitConfigEntries((await read(file)) ?? '');
      hooksPaths.push(...entries.filter(isHooksPath).map(({ value }) => value));
      for (const { value } of entries.filter(isInclude)) {
        if (seen.size < maxConfigs) seen.add(path.resolve(path.dirname(file), fromHome(value, home)));
      }
    }
    return { hooksPaths: hooksPaths.filter((value) => value !== '' && !value.includes('\0')), configs: [...seen] };
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

function userConfigs(home: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { GIT_CONFIG_GLOBAL: global, XDG_CONFIG_HOME: configHome } = env;
  return [
    ...(global !== undefined && path.isAbsolute(global) ? [global] : []),
    path.join(home, '.gitconfig'),
    path.join(
      configHome !== undefined && path.isAbsolute(configHome) ? configHome : path.join(home, '.config'),
      'git',
      'config',
    ),
    '/etc/gitconfig',
  ];
}

function isHooksPath({ section, key }: GitConfigEntry): boolean {
  return section === 'core' && key === 'hookspath';
}

function isInclude({ section, key, value }: GitConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path' && value !== '' && !value.includes('\0');
}

function realOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

function fromHome(written: string, home: string): string {
  return written === '~' || /^~[\\/]/.test(written) ? path.join(home, written.slice(1)) : written;
}

/** Undefined for what is no file, is too large or cannot be read. Does not wait for a pipe. */
async function readSmall(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, openFlags.O_RDONLY | openFlags.O_NONBLOCK);
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
