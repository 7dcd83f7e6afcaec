import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { openFlags } from '../../base/node/openFlags';
import { gitConfigEntries, type GitConfigEntry } from '../common/protection/gitConfig';

/** What configuration files of Git say about places on the disk. */
interface ConfiguredPlaces {
  /** As `core.hooksPath` names them: some are relative to the repository. */
  readonly hooksPaths: readonly string[];
  /** The files that were read, with those that they include; absolute. */
  readonly configs: readonly string[];
}

const maxConfigBytes = 1024 * 1024;
/** Of one configuration with all that it includes. */
const maxConfigs = 20;

/** Reads configuration files of Git. All values that are written count; conditions of includes are taken as met. */
export class GitConfigReader {
  /** `mayBeAsked` tells which files may be opened; one that may not is as good as empty. */
  constructor(
    private readonly home: string,
    private readonly mayBeAsked: (file: string) => boolean,
  ) {}

  ofUser(env: Readonly<Record<string, string | undefined>>): Promise<ConfiguredPlaces> {
    return this.places(userConfigs(this.home, env));
  }

  /** Also of a worktree or a submodule, whose `.git` is a file that says where the configuration is. */
  async ofRepository(root: string): Promise<ConfiguredPlaces> {
    const dotGit = path.join(root, '.git');
    const link = /^gitdir:[ \t]*(.+)$/m.exec((await this.read(dotGit)) ?? '')?.[1]?.trim();
    const gitFolder = link === undefined ? dotGit : path.resolve(root, link);
    const common = (await this.read(path.join(gitFolder, 'commondir')))?.trim();
    const shared = common === undefined ? gitFolder : path.resolve(gitFolder, common);
    return await this.places([path.join(shared, 'config'), path.join(gitFolder, 'config.worktree')]);
  }

  private async places(files: readonly string[]): Promise<ConfiguredPlaces> {
    const hooksPaths: string[] = [];
    const seen = new Set(files);
    // A set that grows is gone through to its end.
    for (const file of seen) {
      const entries = gitConfigEntries((await this.read(file)) ?? '');
      hooksPaths.push(...entries.filter(isHooksPath).map(({ value }) => fromHome(value, this.home)));
      for (const { value } of entries.filter(isInclude)) {
        if (seen.size < maxConfigs) seen.add(path.resolve(path.dirname(file), fromHome(value, this.home)));
      }
    }
    return { hooksPaths, configs: [...seen] };
  }

  private async read(file: string): Promise<string | undefined> {
    return this.mayBeAsked(file) ? await readSmall(file) : undefined;
  }
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

function isHooksPath({ section, key, value }: GitConfigEntry): boolean {
  return section === 'core' && key === 'hookspath' && isPath(value);
}

function isInclude({ section, key, value }: GitConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path' && isPath(value);
}

function isPath(value: string): boolean {
  return value !== '' && !value.includes('\0');
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
