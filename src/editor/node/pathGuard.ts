import type { BigIntStats } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCode, messageOf, wordsOf } from '../../base/common/errors';
import { checkPath, isUri, nearestFolder, relativeTo } from '../common/boundary';
import { EditorError } from '../common/editorPort';
import type { ExcludeList } from '../common/excludeList';
import type { FileName } from '../common/globRules';
import { thisGuardSystem, type GuardSystem } from './guardSystem';
import { hardLinkedNames } from './hardLinkedNames';
import { HardLinks } from './hardLinks';
import { hookNames, usualHookNamesOptions } from './hookNames';
import { linkedNames } from './linkedNames';
import { isOrdinaryWindowsPath } from './windowsPath';

interface PathGuardOptions {
  /** The workspace folders, absolute, as VS Code names them. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** There one real path can be spelled in two cases; macOS resolves to the one it has on disk. */
  readonly isWindows: boolean;
  /** Absolute: where the user's configuration of Git is; the user's home when absent. */
  readonly gitHome?: string;
  /** Default this machine's. */
  readonly system?: GuardSystem;
}

/** A path that peers may name. */
export interface CheckedPath {
  /** Absolute and normalised, links not resolved: how VS Code knows the file. */
  readonly path: string;
  /** With every link resolved. Of a file that does not exist: its nearest existing parent resolved, and the rest. */
  readonly realPath: string;
  readonly exists: boolean;
  /** In its workspace folder: with links resolved, and as it was asked for. */
  readonly names: readonly FileName[];
}

/** The boundary of the workspace and the exclude list, asked for every path that a peer names. */
export class PathGuard {
  private realFolders: Promise<readonly string[]> | undefined;
  private readonly hardLinks: HardLinks;
  private readonly system: GuardSystem;

  constructor(private readonly options: PathGuardOptions) {
    this.system = options.system ?? thisGuardSystem;
    this.hardLinks = new HardLinks({
      folders: () => this.resolvedFolders(),
      isExcluded: (file, folder) => options.exclude().excludes(file, this.nameOf(file, folder).relativePath),
    });
  }

  /** To be called when the workspace folders or the exclude list have changed. */
  forget(): void {
    this.realFolders = undefined;
    this.hardLinks.forget();
  }

  /** @throws EditorError `invalidPath`, `outsideWorkspace`, `excluded`, `io` */
  async check(requested: string): Promise<CheckedPath> {
    checkPath(requested);
    const named = isUri(requested) ? pathOfUri(requested, this.options.isWindows) : requested;
    if (this.options.isWindows && !isOrdinaryWindowsPath(named, this.options.folders())) throw outside(requested);
    const absolute = await this.absolute(named, requested);
    const folders = await this.resolvedFolders();
    const { realPath, exists } = await resolveLinks(this.system, absolute, requested).catch((error: unknown) => {
      // Why a path elsewhere cannot be resolved would tell what is there.
      throw this.isInAny(absolute, folders) ? error : outside(requested);
    });
    const folder = nearestFolder(realPath, folders, this.options.isWindows);
    if (folder === undefined) throw outside(requested);
    const lexical = nearestFolder(absolute, this.options.folders(), this.options.isWindows);
    const names = [this.nameOf(realPath, folder)];
    if (lexical !== undefined && absolute !== realPath) names.push(this.nameOf(absolute, lexical));
    if (names.some((name) => this.options.exclude().excludes(name.path, name.relativePath))) {
      const message = `${requested} is on the list of files that no agent may see. The user can change backline.exclude.`;
      throw new EditorError('excluded', message);
    }
    const info = exists ? await this.system.stat(realPath).catch(() => undefined) : undefined;
    if (info) await this.checkHardLinks(requested, info);
    return { path: absolute, realPath, exists, names };
  }

  /** As `check`, with the names that the file has by links of the workspace, and by Git's configuration, too. */
  async checkWrite(requested: string): Promise<CheckedPath> {
    const checked = await this.check(requested);
    const { exists, realPath } = checked;
    const { gitHome, isWindows } = this.options;
    const gitPlaces = gitHome === undefined ? usualHookNamesOptions : { home: gitHome };
    const folders = await this.resolvedFolders();
    const info = exists ? await this.system.stat(realPath).catch(() => undefined) : undefined;
    const others = await Promise.all([
      linkedNames(realPath, folders, isWindows),
      hookNames(realPath, folders, { ...gitPlaces, isWindows }),
      info ? hardLinkedNames({ realPath, info }, folders, isWindows) : [],
    ]);
    return { ...checked, names: [...checked.names, ...others.flat()] };
  }

  /** @throws EditorError `excluded` for a file that is known to have another name on the exclude list */
  async checkHardLinks(requested: string, info: BigIntStats): Promise<void> {
    if (!(await this.hardLinks.hasExcludedName(info))) return;
    const message = `${requested} is another name of a file on the list of files that no agent may see.`;
    throw new EditorError('excluded', `${message} The user can change backline.exclude.`);
  }

  private isInAny(absolute: string, realFolders: readonly string[]): boolean {
    const folders = [...this.options.folders(), ...realFolders];
    return nearestFolder(absolute, folders, this.options.isWindows) !== undefined;
  }

  private nameOf(path: string, folder: string): FileName {
    return { path, relativePath: relativeTo(path, folder, this.options.isWindows) ?? '' };
  }

  private async absolute(named: string, requested: string): Promise<string> {
    const { paths, stat } = this.system;
    if (paths.isAbsolute(named)) return paths.normalize(named);
    const candidates = this.options.folders().map((folder) => paths.join(folder, named));
    const [first] = candidates;
    if (first === undefined) throw outside(requested);
    for (const candidate of candidates) {
      if (await stat(candidate).then(Boolean, () => false)) return candidate;
    }
    return first;
  }

  private async resolvedFolders(): Promise<readonly string[]> {
    this.realFolders ??= Promise.all(
      this.options.folders().map((folder) =>
        this.system.realpath(folder).catch(() => {
          // A folder that is not there may come back as something else: ask again.
          this.realFolders = undefined;
          return this.system.paths.normalize(folder);
        }),
      ),
    );
    return await this.realFolders;
  }
}

/**
 * In a few calls, whatever the length of the path.
 * @throws EditorError `outsideWorkspace` for a link that leads nowhere: what it would make is not where it seems
 */
async function resolveLinks(
  system: GuardSystem,
  absolute: string,
  requested: string,
): Promise<{ realPath: string; exists: boolean }> {
  const { paths, realpath } = system;
  try {
    return { realPath: await realpath(absolute), exists: true };
  } catch (error) {
    checkMissing(error, requested);
  }
  const existing = await deepestExisting(system, absolute, requested);
  if (existing === undefined) throw outside(requested);
  try {
    const realPath = await realpath(existing);
    return { realPath: paths.join(realPath, paths.relative(existing, absolute)), exists: existing === absolute };
  } catch (error) {
    checkMissing(error, requested);
    throw new EditorError('outsideWorkspace', `${requested} goes through a link that leads nowhere.`);
  }
}

/** The longest part of the path that is there, a link that leads nowhere included. */
async function deepestExisting(
  { paths, lstat }: GuardSystem,
  absolute: string,
  requested: string,
): Promise<string | undefined> {
  const { root } = paths.parse(absolute);
  const names = absolute.slice(root.length).split(paths.sep);
  const start = (length: number): string => root + names.slice(0, length).join(paths.sep);
  const isThere = async (length: number): Promise<boolean> => {
    try {
      await lstat(start(length));
      return true;
    } catch (error) {
      checkMissing(error, requested);
      return false;
    }
  };
  // Mostly all but the name of a new file.
  if (await isThere(names.length - 1)) return (await isThere(names.length)) ? absolute : start(names.length - 1);
  // What is above something that is there is there too.
  let [there, missing] = [0, names.length - 1];
  while (missing - there > 1) {
    const middle = Math.floor((there + missing) / 2);
    if (await isThere(middle)) there = middle;
    else missing = middle;
  }
  return (await isThere(there)) ? start(there) : undefined;
}

/** @throws EditorError when an error of the file system says anything but that a file is not there */
function checkMissing(error: unknown, requested: string): void {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return;
  if (code === 'ENAMETOOLONG') throw new EditorError('invalidPath', `${requested.slice(0, 80)}… is too long.`);
  if (code === 'ELOOP') throw outside(requested);
  throw new EditorError('io', `${requested} cannot be resolved: ${wordsOf(error)}`, { cause: error });
}

/** @throws EditorError `invalidPath` for a URI that names no file of this machine */
function pathOfUri(uri: string, isWindows: boolean): string {
  try {
    const { search } = new URL(uri);
    if (search !== '') throw new Error('it has a query');
    const file = fileURLToPath(uri, { windows: isWindows });
    checkPath(file);
    return file;
  } catch (error) {
    const message = `${uri} is not a file: URI of this machine (${messageOf(error)}). Name a path of the workspace.`;
    throw new EditorError('invalidPath', message, { cause: error });
  }
}

function outside(requested: string): EditorError {
  return new EditorError(
    'outsideWorkspace',
    `${requested} is not inside a folder of the workspace. Only files of the open folders can be used.`,
  );
}
