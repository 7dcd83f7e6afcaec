import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { CheckpointError, diskFullError } from '../../common/checkpointError';
import { splitNul } from '../../common/nameList';
import { cleanEnvironment, type GitResult, type GitProgram } from './gitProgram';
import type { UserSettings } from './userRepository';

/** A call of Git in Backline's repository. */
interface RepositoryCall {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly input?: string | Uint8Array;
  /** Path of an index file that replaces the repository's own index. */
  readonly index?: string;
  /**
   * Whether to use objects of the user's repository. Only for reading: when Git writes an object that exists there, it
   * changes the time of that file.
   */
  readonly withUserObjects?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether paths are literal. False for commands that do not support this option. */
  readonly isLiteral?: boolean;
  /** Exit codes that are not errors. */
  readonly allowedCodes?: readonly number[];
}

/** Locations of a repository, as absolute real paths. */
export interface RepositoryPlace {
  /** The Git directory of Backline's repository. */
  readonly gitDir: string;
  readonly folder: string;
  /** The root of the work tree: that of the user's repository, or else the workspace folder. */
  readonly top: string;
  readonly userObjects: string | undefined;
}

/** Prefix of the temporary files of a restore. */
export const temporaryRestoreFilePrefix = '.backline-restore-';

/** Stores bytes as they are on disk: no line ending conversion, no filters. Overrides the workspace's attributes. */
const attributes = '* -text -filter -ident !eol !crlf !working-tree-encoding !diff !merge !export-subst\n';

/** Creates the repository, or updates its settings. */
export async function prepareRepository(
  place: RepositoryPlace,
  settings: UserSettings,
  userExcludes: string,
): Promise<void> {
  const { gitDir } = place;
  await mkdir(path.join(gitDir, 'objects', 'info'), { recursive: true, mode: 0o700 });
  await mkdir(path.join(gitDir, 'objects', 'pack'), { recursive: true, mode: 0o700 });
  await mkdir(path.join(gitDir, 'refs'), { recursive: true, mode: 0o700 });
  await mkdir(path.join(gitDir, 'info'), { recursive: true, mode: 0o700 });
  await mkdir(path.join(gitDir, 'home'), { recursive: true, mode: 0o700 });
  const excludes = `${userExcludes}\n${temporaryRestoreFilePrefix}*\n`;
  await Promise.all([
    writeIfOther(path.join(gitDir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeIfOther(path.join(gitDir, 'config'), configText(settings)),
    writeIfOther(path.join(gitDir, 'info', 'attributes'), attributes),
    writeIfOther(path.join(gitDir, 'info', 'exclude'), excludes),
  ]);
}

/** Runs Git in Backline's repository, with the workspace folder in its work tree. */
export class PrivateRepository {
  private readonly env: Readonly<Record<string, string>>;

  constructor(
    private readonly git: GitProgram,
    readonly place: RepositoryPlace,
  ) {
    this.env = privateEnvironment(place);
  }

  get packsNewFiles(): boolean {
    return this.git.packsNewFiles;
  }

  get index(): string {
    return path.join(this.place.gitDir, 'index');
  }

  /** Path of the folder relative to the root of the work tree: empty, or ending with `/`. */
  get folderPrefix(): string {
    const below = path.relative(this.place.top, this.place.folder).split(path.sep).join('/');
    return below === '' ? '' : `${below}/`;
  }

  /** Returns the current time of the repository's file system, which can differ from that of this computer. */
  async readFileSystemTime(): Promise<number> {
    const probe = path.join(this.place.gitDir, 'time');
    await writeFile(probe, '');
    return (await stat(probe)).mtimeMs;
  }

  /** Returns the same repository with another work tree, in which the folder is at `prefix`. */
  withWorkTree(top: string, prefix: string): PrivateRepository {
    const folder = path.join(top, prefix);
    return new PrivateRepository(this.git, { ...this.place, top, folder });
  }

  /** Runs a Git command. @throws CheckpointError `cancelled`, `tooSlow`, `diskFull`, `failed` */
  async run(call: RepositoryCall): Promise<GitResult> {
    const { args, signal, input, allowedCodes = [0], isLiteral = true } = call;
    const env = { ...this.env, ...call.env };
    if (call.index !== undefined) env['GIT_INDEX_FILE'] = call.index;
    if (call.withUserObjects === true && this.place.userObjects !== undefined) {
      env['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = quoted(this.place.userObjects);
    }
    const all = [...(isLiteral ? ['--literal-pathspecs'] : []), '--no-pager', ...args];
    const end = await this.git.run({ args: all, cwd: this.place.folder, env, input, signal });
    if (end.exitCode === null || !allowedCodes.includes(end.exitCode)) throw failureOf(args, end);
    return end;
  }

  async runForText(call: RepositoryCall): Promise<string> {
    return (await this.run(call)).output.toString().trim();
  }

  async runForItems(call: RepositoryCall): Promise<string[]> {
    return splitNul((await this.run(call)).output);
  }
}

/** A failed Git command. Git's messages are only logged, because they contain file names. */
export class GitFailure extends CheckpointError {
  constructor(
    command: string,
    readonly errors: string,
  ) {
    super('failed', `Git failed to run "${command}". Check the log.`, { cause: new Error(errors) });
  }
}

function failureOf(args: readonly string[], { errors }: GitResult): CheckpointError {
  if (/No space left on device|Disk quota exceeded|File too large/i.test(errors))
    return diskFullError(new Error(errors));
  return new GitFailure(args[0] ?? '', errors);
}

function privateEnvironment({ gitDir, top }: RepositoryPlace): Record<string, string> {
  const home = path.join(gitDir, 'home');
  const name = 'Backline';
  const email = 'backline@localhost';
  return {
    ...cleanEnvironment(),
    GIT_DIR: gitDir,
    GIT_WORK_TREE: top,
    // Git before 2.32 ignores the variables for configuration files, so HOME points to a folder without settings.
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

/**
 * Returns a Git configuration that prevents Git from running other programs and from converting file contents. It takes
 * no values from the workspace.
 */
function configText({ objectFormat, fileSystem, excludesFile }: UserSettings): string {
  const isWindows = process.platform === 'win32';
  const isMac = process.platform === 'darwin';
  const setting = (name: Parameters<typeof fileSystem.get>[0], otherwise: boolean): string =>
    fileSystem.get(name) ?? String(otherwise);
  return `[core]
	repositoryFormatVersion = ${objectFormat === 'sha256' ? 1 : 0}
	bare = false
	filemode = ${setting('core.filemode', !isWindows)}
	symlinks = ${setting('core.symlinks', !isWindows)}
	ignorecase = ${setting('core.ignorecase', isWindows || isMac)}
	precomposeunicode = ${setting('core.precomposeunicode', isMac)}
	trustctime = ${setting('core.trustctime', true)}
	checkStat = ${fileSystem.get('core.checkstat') === 'minimal' ? 'minimal' : 'default'}
	longpaths = true
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	sparseCheckout = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = ${configValue(excludesFile)}
	logAllRefUpdates = false
	quotePath = false
	commitGraph = false
	multiPackIndex = false
	fsyncMethod = batch
	fsync = loose-object,pack,pack-metadata
	compression = 1
${objectFormat === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : ''}[gc]
	auto = 0
[maintenance]
	auto = false
[diff]
	ignoreSubmodules = all
[submodule]
	recurse = false
[protocol]
	allow = never
`;
}

function configValue(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** Quotes a path for a path list, which is necessary if it contains a separator. */
function quoted(folder: string): string {
  return `"${folder.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

async function writeIfOther(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return;
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, text, { mode: 0o600 });
  await rename(made, file);
}
