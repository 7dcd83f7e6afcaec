import * as path from 'node:path';
import { namesProgram, parseGitConfig, type GitConfigEntry } from '../../common/protection/gitConfig';
import { readSmallFile } from './readSmallFile';

/** Paths that Git configuration files refer to. */
export interface ConfiguredPaths {
  /** Values of `core.hooksPath`; some are relative to the repository. */
  readonly hooksPaths: readonly string[];
  /** Values of `core.attributesFile`; some are relative to the repository. */
  readonly attributesFiles: readonly string[];
  /** Command lines that Git runs. */
  readonly commands: readonly string[];
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

  /** Reads the configuration in a repository's Git folders. */
  readRepositoryConfig(gitFolders: readonly string[]): Promise<ConfiguredPaths> {
    const names = ['config', 'config.worktree'];
    return this.readConfigFiles(gitFolders.flatMap((folder) => names.map((name) => path.join(folder, name))));
  }

  private async readConfigFiles(files: readonly string[]): Promise<ConfiguredPaths> {
    const hooksPaths: string[] = [];
    const attributesFiles: string[] = [];
    const commands: string[] = [];
    const seen = new Set(files);
    // The loop also visits elements that are added to the set in the meantime.
    for (const file of seen) {
      const entries = parseGitConfig((await this.readIfAllowed(file)) ?? '');
      const pathsIn = (key: string): string[] =>
        entries.filter((entry) => isCorePath(entry, key)).map(({ value }) => expandHome(value, this.homeFolder));
      hooksPaths.push(...pathsIn('hookspath'));
      attributesFiles.push(...pathsIn('attributesfile'));
      commands.push(...entries.filter(namesProgram).map(({ value }) => value));
      for (const { value } of entries.filter(isInclude)) {
        if (seen.size < maxConfigs) seen.add(path.resolve(path.dirname(file), expandHome(value, this.homeFolder)));
      }
    }
    return { hooksPaths, attributesFiles, commands, configFiles: [...seen] };
  }

  private async readIfAllowed(file: string): Promise<string | undefined> {
    return this.canAccess(file) ? await readSmallFile(file, maxConfigBytes) : undefined;
  }
}

/** Joins the paths of two configurations, without duplicates. */
export function joinPaths(one: ConfiguredPaths, other: ConfiguredPaths): ConfiguredPaths {
  return {
    hooksPaths: [...new Set([...one.hooksPaths, ...other.hooksPaths])],
    attributesFiles: [...new Set([...one.attributesFiles, ...other.attributesFiles])],
    commands: [...new Set([...one.commands, ...other.commands])],
    configFiles: [...new Set([...one.configFiles, ...other.configFiles])],
  };
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

function isCorePath({ section, key, value }: GitConfigEntry, expectedKey: string): boolean {
  return section === 'core' && key === expectedKey && isPath(value);
}

function isInclude({ section, key, value }: GitConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path' && isPath(value);
}

function isPath(value: string): boolean {
  return value !== '' && !value.includes('\0');
}

export function expandHome(written: string, home: string): string {
  return written === '~' || /^~[\\/]/.test(written) ? path.join(home, written.slice(1)) : written;
}
