import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { cleanEnvironment, type GitProgram } from './gitProgram';
import { splitNul } from '../../common/nameList';
import { isFolder } from '../../../base/node/isFolder';

/** The user's repository that contains the folder. Backline never writes to it and never runs Git in it. */
export interface UserRepository {
  /** The root of the work tree, as an absolute path. */
  readonly top: string;
  readonly gitDir: string;
  /** What all work trees of the repository share. */
  readonly commonDir: string;
  readonly index: string;
  readonly objects: string;
  readonly infoExclude: string;
  readonly config: string;
}

/** Settings that describe the file system and therefore apply to every repository on it. */
const fileSystemSettings = [
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.trustctime',
  'core.checkstat',
] as const;
type FileSystemSetting = (typeof fileSystemSettings)[number];

export interface UserSettings {
  readonly objectFormat: 'sha1' | 'sha256';
  readonly fileSystem: ReadonlyMap<FileSystemSetting, string>;
  /** Path of a file with additional ignore patterns. It may not exist. */
  readonly excludesFile: string;
}

const maxPointerBytes = 64 * 1024;

/** Finds the repository whose work tree contains the folder, which must be a real path. */
export async function findUserRepository(folder: string): Promise<UserRepository | undefined> {
  for (let top = folder; ; top = path.dirname(top)) {
    const found = await repositoryAt(top);
    if (found) return found;
    if (path.dirname(top) === top) return undefined;
  }
}

/** Reads the user's Git settings. Runs none of the programs that they name. */
export async function readUserSettings(
  git: GitProgram,
  repository: UserRepository | undefined,
  cwd: string,
  signal: AbortSignal,
): Promise<UserSettings> {
  const read = async (args: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const { exitCode, output } = await git.run({ args: ['config', ...args], cwd, env: userEnvironment(cwd), signal });
    return exitCode === 0 ? settingsOf(splitNul(output)) : new Map();
  };
  const [own, global, system] = await Promise.all([
    repository ? read(['--file', repository.config, '--no-includes', '-z', '--list']) : new Map<string, string>(),
    read(['--global', '--includes', '-z', '--list']),
    read(['--system', '--includes', '-z', '--list']),
  ]);
  const valueOf = (name: string): string | undefined => own.get(name) ?? global.get(name) ?? system.get(name);
  const fileSystem = new Map<FileSystemSetting, string>();
  for (const name of fileSystemSettings) {
    const value = valueOf(name)?.toLowerCase();
    if (value !== undefined && /^(true|false|yes|no|on|off|0|1|input|minimal|default|)$/.test(value)) {
      fileSystem.set(name, value === '' ? 'true' : value);
    }
  }
  return {
    objectFormat: own.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1',
    fileSystem,
    excludesFile: fullPath(valueOf('core.excludesfile') ?? defaultExcludesFile(), cwd),
  };
}

/** Returns an environment with the user's Git settings, but without any repository. */
function userEnvironment(cwd: string): Record<string, string> {
  const env = cleanEnvironment();
  for (const name of ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, GIT_DIR: path.join(cwd, 'none') };
}

function settingsOf(items: readonly string[]): Map<string, string> {
  return new Map(
    items.map((item) => {
      const end = item.indexOf('\n');
      return end === -1 ? [item.toLowerCase(), ''] : [item.slice(0, end).toLowerCase(), item.slice(end + 1)];
    }),
  );
}

async function repositoryAt(top: string): Promise<UserRepository | undefined> {
  const gitDir = await gitDirAt(path.join(top, '.git'));
  if (gitDir === undefined) return undefined;
  const pointer = await readSmall(path.join(gitDir, 'commondir'));
  const commonDir = pointer === undefined ? gitDir : path.resolve(gitDir, pointer.trim());
  if (!(await isFolder(path.join(commonDir, 'objects')))) return undefined;
  return {
    top,
    gitDir,
    commonDir,
    index: path.join(gitDir, 'index'),
    objects: path.join(commonDir, 'objects'),
    infoExclude: path.join(commonDir, 'info', 'exclude'),
    config: path.join(commonDir, 'config'),
  };
}

/** Returns the Git directory of a repository. In linked work trees and submodules, `.git` is a file with its path. */
async function gitDirAt(place: string): Promise<string | undefined> {
  const info = await stat(place).catch(() => undefined);
  if (!info) return undefined;
  const pointer = info.isFile() ? /^gitdir: ([^\r\n]+)/.exec((await readSmall(place)) ?? '')?.[1] : '';
  if (pointer === undefined) return undefined;
  const gitDir = path.resolve(path.dirname(place), pointer === '' ? '.git' : pointer);
  return (await readSmall(path.join(gitDir, 'HEAD'))) === undefined ? undefined : gitDir;
}

async function readSmall(file: string): Promise<string | undefined> {
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile() || info.size > maxPointerBytes) return undefined;
  return await readFile(file, 'utf8').catch(() => undefined);
}

function defaultExcludesFile(): string {
  const base = process.env['XDG_CONFIG_HOME'];
  return path.join(base !== undefined && base !== '' ? base : path.join(homedir(), '.config'), 'git', 'ignore');
}

function fullPath(name: string, base: string): string {
  return path.resolve(base, name.replace(/^~(?=[\\/]|$)/, homedir()));
}
