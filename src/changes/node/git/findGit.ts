import { access, constants, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { isInsideFolder } from '../../../base/node/isInsideFolder';

export interface FindGitOptions {
  /** Absolute paths of the workspace folders. Programs inside them are not trusted. */
  readonly folders: readonly string[];
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
  /** Checks that the user can run the file. Rejects if not. */
  readonly mayRun: (file: string) => Promise<void>;
  /** Resolves all symbolic links of a path. */
  readonly realPath: (file: string) => Promise<string>;
}

/** Finds Git on the search path, but never in a workspace folder, where an agent could replace a program. */
export async function findGit(options: FindGitOptions): Promise<string | undefined> {
  const { folders, searchPath, platform, mayRun, realPath } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const name = platform === 'win32' ? 'git.exe' : 'git';
  const real = await Promise.all(folders.map((folder) => realPath(folder).catch(() => folder)));
  const isTrusted = (file: string): boolean =>
    [...folders, ...real].every((folder) => file !== folder && !isInsideFolder(file, folder, paths));
  for (const entry of searchPath.split(paths.delimiter)) {
    const place = platform === 'win32' ? entry.replace(/^"(.*)"$/, '$1') : entry;
    // Relative entries are skipped, because they depend on the current directory.
    if (!paths.isAbsolute(place)) continue;
    const file = paths.join(place, name);
    try {
      await mayRun(file);
      // A link to Git inside the workspace is skipped, too, because an agent could replace the link.
      const places = [file, paths.join(await realPath(place), name), await realPath(file)];
      if (places.every(isTrusted)) return file;
    } catch {
      // The next entry is tried.
    }
  }
  return undefined;
}

export function findGitOnThisSystem(folders: readonly string[], searchPath: string): Promise<string | undefined> {
  return findGit({
    folders,
    searchPath,
    platform: process.platform,
    mayRun: (file) => access(file, constants.X_OK),
    realPath: (file) => realpath(file),
  });
}
