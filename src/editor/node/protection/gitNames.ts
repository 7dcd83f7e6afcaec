import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { isRemotePath } from '../../../base/common/uncPath';
import { relativePathIn } from '../../common/boundary';
import type { WorkspacePath } from '../../common/globRules';
import { GitConfigReader } from './gitConfigReader';

interface GitNamesOptions {
  readonly isWindows: boolean;
  /** Absolute path of the folder with the user's Git configuration. */
  readonly home: string;
  /** The environment with `XDG_CONFIG_HOME` and `GIT_CONFIG_GLOBAL`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface HookQuery {
  /** Real path of the file. */
  readonly realPath: string;
  /** Real paths of the workspace folders. */
  readonly folders: readonly string[];
  readonly isWindows: boolean;
  /** Returns false for paths on other machines outside the workspace. */
  readonly canAccess: (file: string) => boolean;
}

export const defaultGitNamesOptions: GitNamesOptions = {
  isWindows: process.platform === 'win32',
  home: homedir(),
  env: process.env,
};

/**
 * Returns names under `.git/hooks` or `.git/config` for a file that Git uses as a hook (`core.hooksPath`) or as configuration
 * (includes). Reads the configuration as text without running Git, and does not cache it, because file dates can be forged.
 * `realPath` and `folders` are real paths. Never rejects; ignores unreadable configuration.
 */
export async function findNamesUsedByGit(
  realPath: string,
  folders: readonly string[],
  { home, isWindows, env = {} }: GitNamesOptions = defaultGitNamesOptions,
): Promise<WorkspacePath[]> {
  const roots = await findRepositories([path.dirname(realPath), ...folders]);
  if (roots.length === 0) return [];
  const canAccess = (file: string): boolean =>
    !isRemotePath(file) || [...roots, ...folders].some((each) => relativePathIn(file, each, isWindows) !== undefined);
  const query = { realPath, folders, isWindows, canAccess };
  const reader = new GitConfigReader(home, canAccess);
  const ofUser = await reader.readUserConfig(env);
  const found = await Promise.all(
    roots.map(async (root) => {
      const own = await reader.readRepositoryConfig(root);
      const hooksPaths = new Set([...ofUser.hooksPaths, ...own.hooksPaths]);
      const configs = new Set([...ofUser.configFiles, ...own.configFiles]);
      return await Promise.all([
        ...[...hooksPaths].map((written) => hookName(query, root, written)),
        ...[...configs].map((config) => configName(query, root, config)),
      ]);
    }),
  );
  return found.flat().flatMap((name) => name ?? []);
}

async function hookName(query: HookQuery, root: string, hooksPath: string): Promise<WorkspacePath | undefined> {
  const { realPath, folders, isWindows, canAccess } = query;
  const named = path.resolve(root, hooksPath);
  if (!canAccess(named)) return undefined;
  const folder = await realPathOf(named);
  const below = relativePathIn(realPath, folder, isWindows);
  if (below === undefined || below === '') return undefined;
  // If the hooks folder contains the workspace, only files directly in it are hooks.
  const containsWorkspace = folders.some((each) => relativePathIn(each, folder, isWindows) !== undefined);
  if (containsWorkspace && /[\\/]/.test(below)) return undefined;
  return nameIn(root, path.join('.git', 'hooks', below));
}

async function configName(query: HookQuery, root: string, config: string): Promise<WorkspacePath | undefined> {
  const { realPath, isWindows, canAccess } = query;
  if (!canAccess(config)) return undefined;
  const isConfig = relativePathIn(realPath, await realPathOf(config), isWindows) === '';
  return isConfig ? nameIn(root, path.join('.git', 'config')) : undefined;
}

function nameIn(root: string, relativePath: string): WorkspacePath {
  return { path: path.join(root, relativePath), relativePath };
}

/** Returns the starting folders and their parents that contain `.git`. */
async function findRepositories(starts: readonly string[]): Promise<readonly string[]> {
  const candidates = new Set<string>();
  for (const start of starts) {
    for (let folder = start; !candidates.has(folder); folder = path.dirname(folder)) candidates.add(folder);
  }
  const hasDotGit = (folder: string): Promise<boolean> =>
    stat(path.join(folder, '.git')).then(
      () => true,
      () => false,
    );
  const folders = [...candidates];
  const isRepository = await Promise.all(folders.map(hasDotGit));
  return folders.filter((_folder, index) => isRepository[index]);
}

function realPathOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
