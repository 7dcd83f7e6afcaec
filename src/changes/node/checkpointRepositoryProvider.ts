import { randomUUID } from 'node:crypto';
import { readFile, readdir, realpath, rename, rm, stat, utimes, writeFile, mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { errorCode, userMessageOf } from '../../base/common/errors';
import type { CheckpointScanLimits, OuterIgnoreRules } from '../common/checkpoint';
import type { GitHead } from '../common/gitHead';
import { CheckpointError, diskFullError, isDiskFull } from '../common/checkpointError';
import { CheckpointRecords } from './checkpointRecords';
import { FolderScan, type ScannedFolderTree, type ScopedFolderTree } from './scan/folderScan';
import { systemFileTimes, type FileTimes } from './scan/fileAges';
import { listIgnored } from './scan/ignoredFiles';
import type { GitProgram } from './git/gitProgram';
import { findIgnored } from './git/ignoreRules';
import { patternsOf, readOuterRules, withSafeExcludes } from './git/outerIgnoreRules';
import { PrivateRepository, prepareRepository, type RepositoryPlace } from './git/privateRepository';
import type { RestoreContext } from './restore/restoreRunner';
import { readGitHead } from './git/readGitHead';
import { TreeReader } from './git/treeReader';
import { createInitialIndex } from './git/userIndex';
import { findUserRepository, readUserSettings, type UserRepository, type UserSettings } from './git/userRepository';

interface RepositoryOptions {
  readonly folder: string;
  readonly storage: string;
  readonly excludes: (path: string, relativePath: string) => boolean;
  readonly limits: CheckpointScanLimits;
  readonly clock: Clock;
}

/** Backline's repository, with settings that match the user's repository. */
export interface PreparedRepository {
  readonly repository: PrivateRepository;
  readonly records: CheckpointRecords;
  readonly reader: TreeReader;
  readonly scan: FolderScan;
  readonly format: 'sha1' | 'sha256';
}

/** An opened repository, and what is read of the user's each time. */
interface Opened extends Preparation {
  readonly rules: OuterIgnoreRules;
  readonly user: UserRepository | undefined;
}

interface Preparation {
  readonly key: string;
  readonly inUse: PreparedRepository;
  readonly settings: UserSettings;
}

/** Maximum size of the user's index, in bytes. Larger files are ignored, because they may not be an index. */
const maxIndexBytes = 512 * 1024 * 1024;
/** Minimum age of files that are removed as leftovers. Another window may still write newer files. */
const leftoverAgeMs = 10 * 60_000;

/** Creates Backline's repository on first use, and again after the user's repository was added, removed or moved. */
export class CheckpointRepositoryProvider {
  private currentPreparation: Preparation | undefined;
  /** Whether Backline's index is an unchanged copy of the user's index. */
  private isUserIndexCopy = false;
  /** Whether a parent repository ignores the folder, by the root folder of that repository. */
  private readonly isIgnoredByRepositoryRoot = new Map<string, boolean>();

  constructor(
    private readonly git: GitProgram,
    private readonly options: RepositoryOptions,
  ) {}

  /** The folder of the store, for all object formats. */
  get storeFolder(): string {
    return this.options.storage;
  }

  get fileTimes(): FileTimes {
    return systemFileTimes(process.platform === 'darwin' ? 'unreliable' : 'reliable');
  }

  async prepare(signal: AbortSignal): Promise<PreparedRepository> {
    return (await this.checkFolderAndOpenRepository(signal)).inUse;
  }

  async capture(signal: AbortSignal): Promise<ScannedFolderTree> {
    const { inUse } = await this.checkFolderAndOpenRepository(signal);
    return await this.captureIn(inUse, signal);
  }

  /** Scans the folder, and finds out what a checkpoint of it does not contain. */
  async captureWithScope(signal: AbortSignal): Promise<ScopedFolderTree> {
    const { inUse, rules, user } = await this.checkFolderAndOpenRepository(signal);
    const git = user && (await readGitHead(user));
    const [capture, ignored] = await Promise.all([
      this.captureIn(inUse, signal),
      listIgnored(inUse.repository, signal),
    ]);
    return { ...capture, git, scope: { leftOut: capture.leftOut, ignored, rules } };
  }

  /** Returns where the user's repository stands. Undefined without one. */
  async readGitHead(signal: AbortSignal): Promise<GitHead | undefined> {
    const { user } = await this.checkFolderAndOpenRepository(signal);
    return user && (await readGitHead(user));
  }

  /** Returns the ignore patterns that apply now from outside the folder. */
  async readOuterRules(signal: AbortSignal): Promise<OuterIgnoreRules> {
    return (await this.checkFolderAndOpenRepository(signal)).rules;
  }

  async createRestoreContext(signal: AbortSignal): Promise<RestoreContext> {
    const { inUse, settings } = await this.checkFolderAndOpenRepository(signal);
    const isOn = (name: 'core.filemode' | 'core.symlinks'): boolean => {
      const setting = settings.fileSystem.get(name);
      return setting === undefined ? process.platform !== 'win32' : /^(true|yes|on|1)$/.test(setting);
    };
    const { reader, format } = inUse;
    return { reader, format, tellsExecutable: isOn('core.filemode'), hasSymlinks: isOn('core.symlinks') };
  }

  /** @throws CheckpointError `failed` if the folder no longer exists or was replaced by a symbolic link */
  private async requireFolderInPlace(): Promise<void> {
    const { folder } = this.options;
    const real = await realpath(folder).catch(() => undefined);
    if (real === folder) return;
    const what = real === undefined ? 'was removed or renamed' : 'was replaced by a symbolic link';
    throw new CheckpointError('failed', `The folder ${folder} ${what}. Open it again.`);
  }

  private async checkFolderAndOpenRepository(signal: AbortSignal): Promise<Opened> {
    await this.requireFolderInPlace();
    return await withStorageErrors(() => this.openRepository(signal));
  }

  private async openRepository(signal: AbortSignal): Promise<Opened> {
    const user = await this.findParentRepository(signal);
    const preparation = await this.openRepositoryFor(user, signal);
    return { ...preparation, user, rules: await readOuterRules(this.options.folder, user, preparation.settings) };
  }

  private async openRepositoryFor(user: UserRepository | undefined, signal: AbortSignal): Promise<Preparation> {
    const key = JSON.stringify(user ?? null);
    if (this.currentPreparation?.key === key) {
      await this.updateSettings(this.currentPreparation.inUse.repository.place, this.currentPreparation.settings, user);
      await this.initializeIndex(this.currentPreparation.inUse, user);
      return this.currentPreparation;
    }
    await mkdir(this.options.storage, { recursive: true, mode: 0o700 });
    const settings = await readUserSettings(this.git, user, this.options.storage, signal);
    const inUse = await this.createRepository(user, settings);
    this.currentPreparation = { key, inUse, settings };
    await this.initializeIndex(inUse, user);
    const newest = (await inUse.records.list(signal)).at(-1);
    if (newest) {
      const { leftOut } =
        (await inUse.records.scope(newest.id, signal)) ?? (await inUse.records.details(newest.id, signal));
      inUse.scan.setKnownLeftOut(leftOut);
    }
    return this.currentPreparation;
  }

  /** Returns the user's repository that contains the folder. Undefined if there is none or it ignores the folder. */
  private async findParentRepository(signal: AbortSignal): Promise<UserRepository | undefined> {
    const user = await findUserRepository(this.options.folder);
    if (!user || user.top === this.options.folder) return user;
    const known = this.isIgnoredByRepositoryRoot.get(user.top);
    if (known !== undefined) return known ? undefined : user;
    const isIgnored = await this.isFolderIgnoredBy(user, signal);
    this.isIgnoredByRepositoryRoot.set(user.top, isIgnored);
    return isIgnored ? undefined : user;
  }

  private async isFolderIgnoredBy(user: UserRepository, signal: AbortSignal): Promise<boolean> {
    const gitDir = path.join(this.options.storage, 'around');
    await mkdir(gitDir, { recursive: true, mode: 0o700 });
    const settings = await readUserSettings(this.git, user, gitDir, signal);
    const place = { gitDir, folder: user.top, top: user.top, userObjects: undefined };
    await prepareRepository(place, await withSafeExcludes(settings), await patternsOf(user));
    const below = path.relative(user.top, this.options.folder).split(path.sep).join('/');
    const ignored = await findIgnored(new PrivateRepository(this.git, place), [below], undefined, signal);
    return ignored.size > 0;
  }

  private async captureIn({ scan }: PreparedRepository, signal: AbortSignal): Promise<ScannedFolderTree> {
    const hasTrees = this.isUserIndexCopy;
    this.isUserIndexCopy = false;
    return await withStorageErrors(() => scan.scan(signal, hasTrees));
  }

  private async createRepository(
    user: UserRepository | undefined,
    settings: UserSettings,
  ): Promise<PreparedRepository> {
    const { folder, storage, clock, excludes, limits } = this.options;
    const format = settings.objectFormat;
    const place = {
      gitDir: path.join(storage, `git-${format}`),
      folder,
      top: user?.top ?? folder,
      userObjects: user?.objects,
    };
    await this.updateSettings(place, settings, user);
    const repository = new PrivateRepository(this.git, place);
    await dropForeignIndex(repository, clock.now());
    return {
      repository,
      format,
      records: new CheckpointRecords(repository, clock),
      reader: new TreeReader(repository),
      scan: new FolderScan(repository, format, { excludes, limits, userIndex: user?.index }),
    };
  }

  private async updateSettings(
    place: RepositoryPlace,
    settings: UserSettings,
    user: UserRepository | undefined,
  ): Promise<void> {
    await prepareRepository(place, await withSafeExcludes(settings), await patternsOf(user));
  }

  /** Starts with a copy of the user's index, so that unchanged tracked files need not be read. */
  private async initializeIndex(
    { repository, format }: PreparedRepository,
    user: UserRepository | undefined,
  ): Promise<void> {
    if (!user || (await stat(repository.index).catch(() => undefined))) return;
    const info = await stat(user.index).catch(() => undefined);
    if (!info?.isFile() || info.size > maxIndexBytes) return;
    const start = createInitialIndex(await readFile(user.index), format, repository.folderPrefix);
    if (!start) return;
    // The file has a unique name, because another window may do the same.
    const made = `${repository.index}-start-${randomUUID()}`;
    await writeFile(made, start.file, { mode: 0o600 });
    // The time is slightly before that of the user's index, because Git compares it with the times of files.
    const seconds = Math.max(Math.floor(info.mtimeMs / 1_000) - 2, 1);
    await utimes(made, seconds, seconds);
    await rename(made, repository.index);
    this.isUserIndexCopy = start.hasTrees;
  }
}

/** Removes the index of another work tree, because its paths are relative to the root of that work tree. */
async function dropForeignIndex(repository: PrivateRepository, nowMs: number): Promise<void> {
  const { gitDir } = repository.place;
  const file = path.join(gitDir, 'prefix');
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before !== repository.folderPrefix) {
    await rm(repository.index, { force: true });
    await writeFile(file, repository.folderPrefix, { mode: 0o600 });
  }
  // Removes files that a killed process has left.
  for (const name of await readdir(gitDir)) {
    if (!/^(index.*\.lock|index-.*|ignore-.*)$/.test(name)) continue;
    const file = path.join(gitDir, name);
    const info = await stat(file).catch(() => undefined);
    if (info && nowMs - info.ctimeMs > leftoverAgeMs) await rm(file, { recursive: true, force: true });
  }
}

async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) throw diskFullError(error);
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
    const words = `Backline’s storage cannot be written: ${userMessageOf(error)}`;
    throw new CheckpointError('failed', words, { cause: error });
  }
}
