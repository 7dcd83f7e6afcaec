import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { CheckpointError, diskFull } from '../../common/checkpointError';
import { splitNul } from '../../common/nameList';
import { cleanEnvironment, type GitEnd, type GitProgram } from './gitProgram';
import type { UserSettings } from './userRepository';

/** What one run of Git in our repository is to do. */
interface RepositoryCall {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly input?: string | Uint8Array;
  /** Another index than that of the repository. */
  readonly index?: string;
  /**
   * Whether the user's objects are seen too. Only for what reads: Git would set the times of an object of theirs when it
   * is to write the same one.
   */
  readonly withUserObjects?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** False for a command that knows no other kind of paths. */
  readonly isLiteral?: boolean;
  /** Exit codes that are an answer. */
  readonly allowedCodes?: readonly number[];
}

/** Where things are. All paths are absolute and real. */
export interface RepositoryPlace {
  /** Our folder. */
  readonly gitDir: string;
  readonly folder: string;
  /** The root of the work tree: the user's, or the folder. */
  readonly top: string;
  readonly userObjects: string | undefined;
}

/** The prefix of files that a restore writes before it renames them. */
export const unfinishedPrefix = '.backline-restore-';

/** The content as it is on disk: no line endings are changed, no filter runs, whatever the workspace's attributes say. */
const attributes = '* -text -filter -ident !eol !crlf !working-tree-encoding !diff !merge !export-subst\n';

/** Makes the repository, or brings its settings up to date. */
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
  const excludes = `${userExcludes}\n${unfinishedPrefix}*\n`;
  await Promise.all([
    writeIfOther(path.join(gitDir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeIfOther(path.join(gitDir, 'config'), configText(settings)),
    writeIfOther(path.join(gitDir, 'info', 'attributes'), attributes),
    writeIfOther(path.join(gitDir, 'info', 'exclude'), excludes),
  ]);
}

/** Git in our own repository, with the workspace folder as its work tree. */
export class PrivateRepository {
  private readonly env: Readonly<Record<string, string>>;

  constructor(
    private readonly git: GitProgram,
    readonly place: RepositoryPlace,
  ) {
    this.env = privateEnvironment(place);
  }

  get index(): string {
    return path.join(this.place.gitDir, 'index');
  }

  /** The folder below the root of the work tree: empty, or with `/` at the end. */
  get prefix(): string {
    const below = path.relative(this.place.top, this.place.folder).split(path.sep).join('/');
    return below === '' ? '' : `${below}/`;
  }

  /** The same repository with another folder in place of the user's work tree. */
  withWorkTree(top: string): PrivateRepository {
    const folder = path.join(top, this.prefix);
    return new PrivateRepository(this.git, { ...this.place, top, folder });
  }

  /** @throws CheckpointError `cancelled`, `tooSlow`, `diskFull`, `failed` */
  async run(call: RepositoryCall): Promise<GitEnd> {
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

  async text(call: RepositoryCall): Promise<string> {
    return (await this.run(call)).output.toString().trim();
  }

  async items(call: RepositoryCall): Promise<string[]> {
    return splitNul((await this.run(call)).output);
  }
}

/** Git's own words are kept for the log: they name files. */
export class GitFailure extends CheckpointError {
  constructor(
    command: string,
    readonly errors: string,
  ) {
    super('failed', `Git could not do "${command}". See the log.`, { cause: new Error(errors) });
  }
}

function failureOf(args: readonly string[], { errors }: GitEnd): CheckpointError {
  if (/No space left on device|Disk quota exceeded|File too large/i.test(errors)) return diskFull(new Error(errors));
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
    // Before Git 2.32, a home without settings does what the two variables of settings do.
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

/** All that could make Git run something, or change bytes, is off; none of it is taken from the workspace. */
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
	fsync = loose-object
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

/** A list of folders takes one with separators in its name only in quotes. */
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
