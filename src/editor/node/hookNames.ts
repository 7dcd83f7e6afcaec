import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { isOnOtherMachine } from '../../base/common/uncPath';
import { relativeTo } from '../common/boundary';
import type { FileName } from '../common/globRules';
import { GitConfigReader } from './gitConfigReader';

interface HookNamesOptions {
  readonly isWindows: boolean;
  /** Absolute: where Git's configuration of the user is. */
  readonly home: string;
  /** Where Git looks for it elsewhere: `XDG_CONFIG_HOME`, `GIT_CONFIG_GLOBAL`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The file that is asked about, and the workspace; all links are resolved. */
interface Question {
  readonly realPath: string;
  readonly folders: readonly string[];
  readonly isWindows: boolean;
  /** No other machine is asked, unless the workspace is there. */
  readonly mayBeAsked: (file: string) => boolean;
}

export const usualHookNamesOptions: HookNamesOptions = {
  isWindows: process.platform === 'win32',
  home: homedir(),
  env: process.env,
};

/**
 * Other names of a file: those that it has since Git is told by `core.hooksPath` to run hooks from its folder, or to include
 * it in its configuration. It is what `.git/hooks` or `.git/config` is elsewhere, so that is what it is called. The
 * configuration is read, never run: Git is not asked. It is read for each question: the date of a file, which
 * would tell whether it has changed, can be set by whoever changes it. `realPath` and `folders` have all links resolved.
 * Never rejects: a configuration that cannot be read names no folder.
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
  const question = { realPath, folders, isWindows, mayBeAsked };
  const reader = new GitConfigReader(home, mayBeAsked);
  const ofUser = await reader.ofUser(env);
  const found = await Promise.all(
    roots.map(async (root) => {
      const own = await reader.ofRepository(root);
      const hooksPaths = new Set([...ofUser.hooksPaths, ...own.hooksPaths]);
      const configs = new Set([...ofUser.configs, ...own.configs]);
      return await Promise.all([
        ...[...hooksPaths].map((written) => nameOfHook(question, root, written)),
        ...[...configs].map((config) => nameOfConfig(question, root, config)),
      ]);
    }),
  );
  return found.flat().flatMap((name) => name ?? []);
}

async function nameOfHook(question: Question, root: string, hooksPath: string): Promise<FileName | undefined> {
  const { realPath, folders, isWindows, mayBeAsked } = question;
  const named = path.resolve(root, hooksPath);
  if (!mayBeAsked(named)) return undefined;
  const folder = await realOf(named);
  const below = relativeTo(realPath, folder, isWindows);
  if (below === undefined || below === '') return undefined;
  // A whole workspace is no folder of hooks: of it only what Git would run counts.
  const isAround = folders.some((each) => relativeTo(each, folder, isWindows) !== undefined);
  if (isAround && /[\\/]/.test(below)) return undefined;
  return nameIn(root, path.join('.git', 'hooks', below));
}

async function nameOfConfig(question: Question, root: string, config: string): Promise<FileName | undefined> {
  const { realPath, isWindows, mayBeAsked } = question;
  if (!mayBeAsked(config)) return undefined;
  const isIt = relativeTo(realPath, await realOf(config), isWindows) === '';
  return isIt ? nameIn(root, path.join('.git', 'config')) : undefined;
}

function nameIn(root: string, relativePath: string): FileName {
  return { path: path.join(root, relativePath), relativePath };
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

function realOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
