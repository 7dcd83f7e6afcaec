import { fileURLToPath } from 'node:url';
import { errorCode, messageOf, userMessageOf } from '../../base/common/errors';
import { requireValidPath, isUri, innermostFolder, relativePathIn } from '../common/boundary';
import { EditorError } from '../common/editorPort';
import type { ExcludeList } from '../common/excludeList';
import type { WorkspacePath } from '../common/globRules';
import { localFileSystem, type PathGuardFileSystem } from './pathGuardFileSystem';
import { findNamesUsedByGit, defaultGitNamesOptions } from './protection/gitNames';
import { findSymlinkedNames } from './symlinkedNames';
import { isOrdinaryWindowsPath } from './windowsPath';

interface PathGuardDeps {
  /** Absolute paths of the workspace folders from VS Code; links are not resolved. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** Whether real paths can differ in case. On macOS, real paths are spelled as on disk. */
  readonly isWindows: boolean;
  /** Absolute path of the folder with the user's Git configuration; default is the home folder. */
  readonly gitHome?: string;
  /** Default is the file system of this machine. */
  readonly fileSystem?: PathGuardFileSystem;
}

/** A path that passed the workspace boundary and exclude list checks. */
export interface CheckedPath {
  /** Absolute and normalized; links are not resolved, as in VS Code's URIs. */
  readonly path: string;
  /** All links resolved. For a missing file, links of the nearest existing parent are resolved. */
  readonly realPath: string;
  /** The real path, with the workspace folder as VS Code names it. */
  readonly canonicalPath: string;
  readonly exists: boolean;
  /** The real path and, if different, the requested path. */
  readonly names: readonly WorkspacePath[];
}

/** Checks paths from peers against the workspace boundary and the exclude list. */
export class PathGuard {
  private realFolders: Promise<readonly string[]> | undefined;
  private readonly fileSystem: PathGuardFileSystem;

  constructor(private readonly deps: PathGuardDeps) {
    this.fileSystem = deps.fileSystem ?? localFileSystem;
  }

  /** Call after the workspace folders have changed. */
  clearCache(): void {
    this.realFolders = undefined;
  }

  /**
   * Returns the absolute path that `check` would check, without access to the disk. Undefined if that needs the disk, for URIs,
   * and for Windows paths that `check` refuses. @throws EditorError `invalidPath`
   */
  absolutePathOf(requested: string): string | undefined {
    requireValidPath(requested);
    const { folders, isWindows } = this.deps;
    if (isUri(requested) || (isWindows && !isOrdinaryWindowsPath(requested, folders()))) return undefined;
    return this.joinToFolder(requested);
  }

  /** @throws EditorError `invalidPath`, `outsideWorkspace`, `excluded`, `io` */
  async check(requested: string): Promise<CheckedPath> {
    requireValidPath(requested);
    const named = isUri(requested) ? pathOfUri(requested, this.deps.isWindows) : requested;
    if (this.deps.isWindows && !isOrdinaryWindowsPath(named, this.deps.folders())) throw outsideError(requested);
    const absolute = await this.toAbsolute(named, requested);
    const folders = await this.resolveFolders();
    const { realPath, exists } = await resolveLinks(this.fileSystem, absolute, requested).catch((error: unknown) => {
      // The original error would reveal what exists outside the workspace.
      throw this.isInAnyFolder(absolute, folders) ? error : outsideError(requested);
    });
    const folder = innermostFolder(realPath, folders, this.deps.isWindows);
    if (folder === undefined) throw outsideError(requested);
    const lexical = innermostFolder(absolute, this.deps.folders(), this.deps.isWindows);
    const names = [this.workspacePathOf(realPath, folder)];
    if (lexical !== undefined && absolute !== realPath) names.push(this.workspacePathOf(absolute, lexical));
    if (names.some((name) => this.deps.exclude().excludes(name.path, name.relativePath))) {
      const message = `${requested} is excluded from agents. The user can change backline.exclude.`;
      throw new EditorError('excluded', message);
    }
    const canonicalPath = this.canonicalPathOf(realPath, folder, folders);
    return { path: absolute, realPath, canonicalPath, exists, names };
  }

  /** Like `check`, and adds names of the file through symbolic links and Git configuration. */
  async checkForWrite(requested: string): Promise<CheckedPath> {
    const checked = await this.check(requested);
    const { realPath } = checked;
    const { gitHome, isWindows } = this.deps;
    const gitPlaces = gitHome === undefined ? defaultGitNamesOptions : { home: gitHome };
    const folders = await this.resolveFolders();
    const names = [...checked.names, ...(await findSymlinkedNames(realPath, folders, isWindows))];
    const files = [...new Set([realPath, ...names.map((name) => name.path)])];
    return {
      ...checked,
      names: [...names, ...(await findNamesUsedByGit(files, folders, { ...gitPlaces, isWindows }))],
    };
  }

  private isInAnyFolder(absolute: string, realFolders: readonly string[]): boolean {
    const folders = [...this.deps.folders(), ...realFolders];
    return innermostFolder(absolute, folders, this.deps.isWindows) !== undefined;
  }

  private canonicalPathOf(realPath: string, folder: string, realFolders: readonly string[]): string {
    const named = this.deps.folders()[realFolders.indexOf(folder)];
    if (named === undefined) return realPath;
    return this.fileSystem.paths.join(named, this.workspacePathOf(realPath, folder).relativePath);
  }

  private workspacePathOf(path: string, folder: string): WorkspacePath {
    return { path, relativePath: relativePathIn(path, folder, this.deps.isWindows) ?? '' };
  }

  private async toAbsolute(named: string, requested: string): Promise<string> {
    const { paths, stat } = this.fileSystem;
    const known = this.joinToFolder(named);
    if (known !== undefined) return known;
    const candidates = this.deps.folders().map((folder) => paths.join(folder, named));
    const [first] = candidates;
    if (first === undefined) throw outsideError(requested);
    for (const candidate of candidates) {
      if (await stat(candidate).then(Boolean, () => false)) return candidate;
    }
    return first;
  }

  /** Undefined for a relative path if there is not exactly one folder. */
  private joinToFolder(path: string): string | undefined {
    const { paths } = this.fileSystem;
    if (paths.isAbsolute(path)) return paths.normalize(path);
    const [folder, ...others] = this.deps.folders();
    return folder === undefined || others.length > 0 ? undefined : paths.join(folder, path);
  }

  private async resolveFolders(): Promise<readonly string[]> {
    this.realFolders ??= Promise.all(
      this.deps.folders().map((folder) =>
        this.fileSystem.realpath(folder).catch(() => {
          // The folder may be created later, so the next check resolves it again.
          this.realFolders = undefined;
          return this.fileSystem.paths.normalize(folder);
        }),
      ),
    );
    return await this.realFolders;
  }
}

/** @throws EditorError `outsideWorkspace` for a broken link: writing to it could create a file outside */
async function resolveLinks(
  system: PathGuardFileSystem,
  absolute: string,
  requested: string,
): Promise<{ realPath: string; exists: boolean }> {
  const { paths, realpath } = system;
  try {
    return { realPath: await realpath(absolute), exists: true };
  } catch (error) {
    throwUnlessMissing(error, requested);
  }
  const existing = await deepestExisting(system, absolute, requested);
  if (existing === undefined) throw outsideError(requested);
  try {
    const realPath = await realpath(existing);
    return { realPath: paths.join(realPath, paths.relative(existing, absolute)), exists: existing === absolute };
  } catch (error) {
    throwUnlessMissing(error, requested);
    throw new EditorError('outsideWorkspace', `The path ${requested} contains a broken symbolic link.`);
  }
}

/** Returns the longest existing prefix, including broken links. Binary search limits file system calls. */
async function deepestExisting(
  { paths, lstat }: PathGuardFileSystem,
  absolute: string,
  requested: string,
): Promise<string | undefined> {
  const { root } = paths.parse(absolute);
  const names = absolute.slice(root.length).split(paths.sep);
  const prefix = (length: number): string => root + names.slice(0, length).join(paths.sep);
  const exists = async (length: number): Promise<boolean> => {
    try {
      await lstat(prefix(length));
      return true;
    } catch (error) {
      throwUnlessMissing(error, requested);
      return false;
    }
  };
  // Usually only the file name is missing.
  if (await exists(names.length - 1)) return (await exists(names.length)) ? absolute : prefix(names.length - 1);
  let [existing, missing] = [0, names.length - 1];
  while (missing - existing > 1) {
    const middle = Math.floor((existing + missing) / 2);
    if (await exists(middle)) existing = middle;
    else missing = middle;
  }
  return (await exists(existing)) ? prefix(existing) : undefined;
}

/** Ignores errors about missing files. @throws EditorError for all other errors */
function throwUnlessMissing(error: unknown, requested: string): void {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return;
  if (code === 'ENAMETOOLONG') throw new EditorError('invalidPath', `${requested.slice(0, 80)}… is too long.`);
  if (code === 'ELOOP') throw outsideError(requested);
  throw new EditorError('io', `${requested} cannot be resolved: ${userMessageOf(error)}`, { cause: error });
}

/** @throws EditorError `invalidPath` if it is not a `file:` URI of this machine */
function pathOfUri(uri: string, isWindows: boolean): string {
  try {
    const { search } = new URL(uri);
    if (search !== '') throw new Error('it contains a query');
    const file = fileURLToPath(uri, { windows: isWindows });
    requireValidPath(file);
    return file;
  } catch (error) {
    const message = `${uri} is not a file: URI on this machine (${messageOf(error)}). Name a path in the workspace.`;
    throw new EditorError('invalidPath', message, { cause: error });
  }
}

function outsideError(requested: string): EditorError {
  return new EditorError(
    'outsideWorkspace',
    `${requested} is outside the workspace. Only files in the workspace folders can be used.`,
  );
}
