import { access, constants, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { isInsideFolder } from '../../../base/node/isInsideFolder';

export interface FindGitOptions {
  /** Absolute path of the workspace folder. Programs inside it are not trusted. */
  readonly folder: string;
  /** The value of PATH. */
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
  /** Rejects if this user can't run the file. */
  readonly mayRun: (file: string) => Promise<void>;
  /** Resolves all symbolic links. */
  readonly realPath: (file: string) => Promise<string>;
}

/** Finds Git on the search path, but never inside the workspace folder. */
export async function findGit(options: FindGitOptions): Promise<string | undefined> {
  const { folder, searchPath, platform, mayRun, realPath } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const name = platform === 'win32' ? 'git.exe' : 'git';
  const inside = await realPath(folder).catch(() => folder);
  for (const entry of searchPath.split(paths.delimiter)) {
    const place = platform === 'win32' ? entry.replace(/^"(.*)"$/, '$1') : entry;
    // Relative entries depend on the current directory.
    if (!paths.isAbsolute(place)) continue;
    const file = paths.join(place, name);
    try {
      await mayRun(file);
      const real = await realPath(file);
      if (real !== inside && !isInsideFolder(real, inside, paths)) return file;
    } catch {
      // Try the next entry.
    }
  }
  return undefined;
}

export function findGitHere(folder: string, searchPath: string): Promise<string | undefined> {
  return findGit({
    folder,
    searchPath,
    platform: process.platform,
    mayRun: (file) => access(file, constants.X_OK),
    realPath: (file) => realpath(file),
  });
}
