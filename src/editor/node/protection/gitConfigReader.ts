import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { openFlags } from '../../../base/node/openFlags';
import { parseGitConfig, type GitConfigEntry } from '../../common/protection/gitConfig';

/** Paths that Git configuration files refer to. */
interface ConfiguredPaths {
  /** Values of `core.hooksPath`; some are relative to the repository. */
  readonly hooksPaths: readonly string[];
  /** Absolute paths of the configuration files and the files they include. */
  readonly configFiles: readonly string[];
}

const maxConfigBytes = 1024 * 1024;
/** Maximum number of files that are read for one configuration, including its includes. */
const maxConfigs = 20;

/** Reads Git configuration files. Returns all values, also of repeated keys, and treats conditional includes as active. */
export class GitConfigReader {
  /** Files that `canAccess` rejects are treated as empty. */
  constructor(
    private readonly homeFolder: string,
    private readonly canAccess: (file: string) => boolean,
  ) {}

  readUserConfig(env: Readonly<Record<string, string | undefined>>): Promise<ConfiguredPaths> {
    return this.readConfigFiles(userConfigFiles(this.homeFolder, env));
  }

  /** Also supports worktrees and submodules, whose `.git` is a file with the path of the Git folder. */
  async readRepositoryConfig(root: string): Promise<ConfiguredPaths> {
    const dotGit = path.join(root, '.git');
    const link = /^gitdir:[ \t]*(.+)$/m.exec((await this.readIfAllowed(dotGit)) ?? '')?.[1]?.trim();
    const gitFolder = link === undefined ? dotGit : path.resolve(root, link);
    const common = (await this.readIfAllowed(path.join(gitFolder, 'commondir')))?.trim();
    const shared = common === undefined ? gitFolder : path.resolve(gitFolder, common);
    return await this.readConfigFiles([path.join(shared, 'config'), path.join(gitFolder, 'config.worktree')]);
  }

  private async readConfigFiles(files: readonly string[]): Promise<ConfiguredPaths> {
    const hooksPaths: string[] = [];
    const seen = new Set(files);
    // The loop also visits elements that are added to the set in the meantime.
    for (const file of seen) {
      const entries = parseGitConfig((await this.readIfAllowed(file)) ?? '');
      hooksPaths.push(...entries.filter(isHooksPath).map(({ value }) => expandHome(value, this.homeFolder)));
      for (const { value } of entries.filter(isInclude)) {
        if (seen.size < maxConfigs) seen.add(path.resolve(path.dirname(file), expandHome(value, this.homeFolder)));
      }
    }
    return { hooksPaths, configFiles: [...seen] };
  }

  private async readIfAllowed(file: string): Promise<string | undefined> {
    return this.canAccess(file) ? await readSmallFile(file) : undefined;
  }
}

function userConfigFiles(home: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
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

function isHooksPath({ section, key, value }: GitConfigEntry): boolean {
  return section === 'core' && key === 'hookspath' && isPath(value);
}

function isInclude({ section, key, value }: GitConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path' && isPath(value);
}

function isPath(value: string): boolean {
  return value !== '' && !value.includes('\0');
}

function expandHome(written: string, home: string): string {
  return written === '~' || /^~[\\/]/.test(written) ? path.join(home, written.slice(1)) : written;
}

/** Returns undefined if it is not a file, too large or unreadable. Does not block on a pipe. */
async function readSmallFile(file: string): Promise<string | undefined> {
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
