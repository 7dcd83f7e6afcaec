import { lstat, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../base/common/errors';
import { checkPath, nearestFolder, relativeTo } from '../common/boundary';
import { EditorError } from '../common/editorPort';
import type { ExcludeList } from '../common/excludeList';

export interface PathGuardOptions {
  /** The workspace folders, absolute, as VS Code names them. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** Whether one real path can be spelled in two cases, as on Windows; macOS resolves to the one it has on disk. */
  readonly caseInsensitive: boolean;
}

/** A path that peers may name. */
export interface CheckedPath {
  /** Absolute and normalised, links not resolved: how VS Code knows the file. */
  readonly path: string;
  /** With every link resolved. Of a file that does not exist: its nearest existing parent resolved, and the rest. */
  readonly realPath: string;
  readonly exists: boolean;
}

/** The boundary of the workspace and the exclude list, asked for every path that a peer names. */
export class PathGuard {
  private realFolders: Promise<readonly string[]> | undefined;

  constructor(private readonly options: PathGuardOptions) {}

  /** To be called when the workspace folders have changed. */
  forgetFolders(): void {
    this.realFolders = undefined;
  }

  /** @throws EditorError `invalidPath`, `outsideWorkspace`, `excluded`, `io` */
  async check(requested: string): Promise<CheckedPath> {
    checkPath(requested);
    const absolute = await this.absolute(requested);
    const folders = await this.resolvedFolders();
    const { realPath, exists } = await resolveLinks(absolute, requested).catch((error: unknown) => {
      // Why a path elsewhere cannot be resolved would tell what is there.
      const named = nearestFolder(absolute, [...this.options.folders(), ...folders], this.options.caseInsensitive);
      throw named === undefined ? outside(requested) : error;
    });
    const folder = nearestFolder(realPath, folders, this.options.caseInsensitive);
    if (folder === undefined) throw outside(requested);
    this.checkExcluded(requested, realPath, folder);
    const lexical = nearestFolder(absolute, this.options.folders(), this.options.caseInsensitive);
    if (lexical !== undefined) this.checkExcluded(requested, absolute, lexical);
    return { path: absolute, realPath, exists };
  }

  private checkExcluded(requested: string, candidate: string, folder: string): void {
    const below = relativeTo(candidate, folder, this.options.caseInsensitive) ?? '';
    if (!this.options.exclude().excludes(candidate, below)) return;
    throw new EditorError(
      'excluded',
      `${requested} is on the list of files that no agent may see. The user can change backline.exclude.`,
    );
  }

  private async absolute(requested: string): Promise<string> {
    if (path.isAbsolute(requested)) return path.normalize(requested);
    const candidates = this.options.folders().map((folder) => path.join(folder, requested));
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
        realpath(folder).catch(() => {
          // A folder that is not there may come back as something else: ask again.
          this.realFolders = undefined;
          return path.normalize(folder);
        }),
      ),
    );
    return await this.realFolders;
  }
}

/** @throws EditorError `outsideWorkspace` for a link that leads nowhere: what it would make is not where it seems */
async function resolveLinks(absolute: string, requested: string): Promise<{ realPath: string; exists: boolean }> {
  const missing: string[] = [];
  for (let existing = absolute; ; existing = path.dirname(existing)) {
    try {
      const realPath = await realpath(existing);
      return { realPath: path.join(realPath, ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENAMETOOLONG') throw new EditorError('invalidPath', `${requested.slice(0, 80)}… is too long.`);
      if (code === 'ELOOP') throw outside(requested);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        throw new EditorError('io', `${requested} cannot be resolved: ${messageOf(error)}`, { cause: error });
      }
      const isLink = await lstat(existing).then(
        (info) => info.isSymbolicLink(),
        () => false,
      );
      if (isLink) throw new EditorError('outsideWorkspace', `${requested} goes through a link that leads nowhere.`);
      if (existing === path.dirname(existing)) throw outside(requested);
      missing.unshift(path.basename(existing));
    }
  }
}

function outside(requested: string): EditorError {
  return new EditorError(
    'outsideWorkspace',
    `${requested} is not inside a folder of the workspace. Only files of the open folders can be used.`,
  );
}
