import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { isRemotePath } from '../../../base/common/addresses/uncPath';
import { relativePathIn } from '../../common/boundary';
import type { WorkspacePath } from '../../common/globRules';
import { commonFolderPart, isPartOfGitFolder, type CommonFolderPart } from '../../common/protection/gitFolder';
import { expandHome, GitConfigReader, joinPaths, type ConfiguredPaths } from './gitConfigReader';
import { exists, findRepositories, hasDotGit, parentsOf, realPathOf, type Repository } from './gitRepositories';

interface GitNamesOptions {
  readonly isWindows: boolean;
  /** Absolute path of the folder with the user's Git configuration. */
  readonly home: string;
  /** The environment with `XDG_CONFIG_HOME` and `GIT_CONFIG_GLOBAL`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface GitQuery {
  /** Absolute paths of one file: its real path and others through links. */
  readonly files: readonly string[];
  /** Real paths of the workspace folders. */
  readonly folders: readonly string[];
  readonly isWindows: boolean;
  /** Returns false for paths on other machines, except in the network share of a workspace folder. */
  readonly canAccess: (file: string) => boolean;
}

/** Maximum number of links that are followed in a folder. */
const maxLinks = 200;
/** Maximum number of words of configured commands that are compared with a file. */
const maxCommandWords = 500;

export const defaultGitNamesOptions: GitNamesOptions = {
  isWindows: process.platform === 'win32',
  home: homedir(),
  env: process.env,
};

/**
 * Returns names under `.git` for a file that Git uses: in a folder that Git takes for a Git folder by its content or because a
 * `.git` file names it, as a hook (`core.hooksPath`), as configuration (includes), or as a program that the configuration runs.
 * Reads files as text without running Git, and does not cache them, because file dates can be forged.
 * `files` are the real path of the file and others through links; `folders` are real paths. Never rejects; ignores unreadable
 * configuration.
 */
export async function findNamesUsedByGit(
  files: readonly string[],
  folders: readonly string[],
  { home, isWindows, env = {} }: GitNamesOptions = defaultGitNamesOptions,
): Promise<WorkspacePath[]> {
  const canAccess = (file: string): boolean =>
    !isRemotePath(file) ||
    folders.some((folder) => relativePathIn(file, path.parse(folder).root, isWindows) !== undefined);
  const query: GitQuery = { files, folders, isWindows, canAccess };
  const [repositories, inCommonFolders] = await Promise.all([
    findRepositories(files, folders, canAccess),
    namesInCommonFolders(query),
  ]);
  if (repositories.length === 0) return inCommonFolders;
  const reader = new GitConfigReader(home, canAccess);
  const ofUser = await reader.readUserConfig(env);
  const found = await Promise.all(
    repositories.map(async (repository) => {
      const own = await reader.readRepositoryConfig(repository.gitFolders);
      return await Promise.all([
        ...repository.gitFolders.map((folder) => namesInGitFolder(query, folder)),
        namesThroughConfig(query, repository, joinPaths(ofUser, own), home),
      ]);
    }),
  );
  return [...inCommonFolders, ...found.flat(2)];
}

/** Returns names for a file that the configuration or a link in the Git folder names. */
async function namesThroughConfig(
  query: GitQuery,
  { gitFolders, root }: Repository,
  { attributesFiles, commands, configFiles, hooksPaths }: ConfiguredPaths,
  home: string,
): Promise<readonly WorkspacePath[]> {
  const hooksFolders = hooksPaths.map((written) => path.resolve(root, written));
  const inGitFolders = gitFolders.flatMap((folder) => ['.', 'hooks', 'info'].map((name) => path.join(folder, name)));
  const usedAs = (name: string, files: readonly string[]): Promise<WorkspacePath | undefined>[] =>
    files.map((file) => nameOfUsedFile(query, root, path.resolve(root, file), name));
  const found = await Promise.all([
    ...hooksFolders.map((folder) => hookName(query, root, folder)),
    ...[...inGitFolders, ...hooksFolders].map((folder) => nameThroughLinks(query, root, folder)),
    ...usedAs('config', configFiles),
    ...usedAs('info/attributes', attributesFiles),
    ...usedAs('hooks/program', pathsInCommands(commands, root, home)),
  ]);
  return found.flatMap((name) => name ?? []);
}

/**
 * Everything in a Git folder is protected. If the folder contains the workspace or a work tree, as in `project.git/main`, then
 * only the files that Git uses are.
 */
async function namesInGitFolder(query: GitQuery, gitFolder: string): Promise<readonly WorkspacePath[]> {
  const isWhole = !containsWorkspace(query, gitFolder);
  const found = await Promise.all(
    pathsBelow(query, gitFolder).map(async (below) => {
      const isUsed = isPartOfGitFolder(below) || (isWhole && !(await isInWorkTree(gitFolder, below)));
      return isUsed ? [nameIn(gitFolder, path.join('.git', below))] : [];
    }),
  );
  return found.flat();
}

async function isInWorkTree(gitFolder: string, below: string): Promise<boolean> {
  const depth = below.split(/[\\/]/).length - 1;
  const between = parentsOf(path.dirname(path.join(gitFolder, below))).slice(0, depth);
  return (await Promise.all(between.map(hasDotGit))).some(Boolean);
}

/**
 * A folder that Git uses because the `commondir` of another Git folder names it needs no `HEAD`. That folder can be anywhere, so
 * a file that completes or belongs to such a folder is protected if there is also a configuration or a hook in it.
 */
async function namesInCommonFolders({ files }: GitQuery): Promise<WorkspacePath[]> {
  const found = await Promise.all(
    files.flatMap((file) =>
      parentsOf(path.dirname(file)).map(async (folder) => {
        const below = path.relative(folder, file);
        const part = commonFolderPart(below);
        const isComplete = part !== undefined && (await hasOtherCommonParts(folder, part));
        return isComplete ? [nameIn(folder, path.join('.git', below))] : [];
      }),
    ),
  );
  return found.flat();
}

async function hasOtherCommonParts(folder: string, part: CommonFolderPart): Promise<boolean> {
  const has: Readonly<Record<CommonFolderPart, () => Promise<boolean>>> = {
    objects: () => exists(path.join(folder, 'objects')),
    refs: () => exists(path.join(folder, 'refs')),
    program: async () => {
      const hooks = await readdir(path.join(folder, 'hooks')).catch(() => []);
      const hasHook = hooks.some((name) => commonFolderPart(`hooks/${name}`) === 'program');
      return hasHook || (await exists(path.join(folder, 'config')));
    },
  };
  const parts: readonly CommonFolderPart[] = ['objects', 'refs', 'program'];
  for (const other of parts) if (other !== part && !(await has[other]())) return false;
  return true;
}

async function hookName(query: GitQuery, root: string, hooksFolder: string): Promise<WorkspacePath | undefined> {
  if (!query.canAccess(hooksFolder)) return undefined;
  const folder = await realPathOf(hooksFolder);
  // If the hooks folder contains the workspace, only files directly in it are hooks.
  const canBeDeep = !containsWorkspace(query, folder);
  const hook = pathsBelow(query, folder).find((below) => canBeDeep || !/[\\/]/.test(below));
  return hook === undefined ? undefined : nameIn(root, path.join('.git', 'hooks', hook));
}

/** For example, if `.git/hooks/pre-commit` is a link to the file or to a folder with the file. */
async function nameThroughLinks(query: GitQuery, root: string, folder: string): Promise<WorkspacePath | undefined> {
  if (!query.canAccess(folder)) return undefined;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink()).slice(0, maxLinks);
  for (const { name } of links) {
    const target = await realpath(path.join(folder, name)).catch(() => undefined);
    if (target === undefined || containsWorkspace(query, target)) continue;
    if (pathsBelow(query, target).length > 0 || query.files.includes(target))
      return nameIn(root, path.join('.git', 'hooks', name));
  }
  return undefined;
}

/** Returns the name `.git/<name>` if the file is the used one. */
async function nameOfUsedFile(
  query: GitQuery,
  root: string,
  used: string,
  name: string,
): Promise<WorkspacePath | undefined> {
  if (!query.canAccess(used)) return undefined;
  const real = await realPathOf(used);
  const isUsed = query.files.some((file) => relativePathIn(file, real, query.isWindows) === '');
  return isUsed ? nameIn(root, path.join('.git', name)) : undefined;
}

/** Returns all absolute paths that words of the commands could mean. */
function pathsInCommands(commands: readonly string[], root: string, home: string): readonly string[] {
  const words = commands.flatMap((command) => [command, ...command.split(/[\s'"`;|&<>()${}!=]+/)]);
  const relevant = [...new Set(words)].filter((word) => word !== '' && word.length < 4096 && !word.includes('\0'));
  return [
    ...new Set(
      relevant
        .slice(0, maxCommandWords)
        .flatMap((word) => [path.resolve(root, expandHome(word, home)), path.join(root, word)]),
    ),
  ];
}

/** Returns the paths of the file relative to the folder, if it is in the folder. */
function pathsBelow({ files, isWindows }: GitQuery, folder: string): readonly string[] {
  return files.flatMap((file) => relativePathIn(file, folder, isWindows) ?? []).filter((below) => below !== '');
}

function containsWorkspace({ folders, isWindows }: GitQuery, folder: string): boolean {
  return folders.some((each) => relativePathIn(each, folder, isWindows) !== undefined);
}

function nameIn(root: string, relativePath: string): WorkspacePath {
  return { path: path.join(root, relativePath), relativePath };
}
