import { access, constants, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { isInsideFolder } from '../../../base/node/isInsideFolder';

export interface FindGitOptions {
  /** The workspace folder, absolute: anybody could have put a program of that name in it. */
  readonly folder: string;
  /** The value of PATH. */
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
  /** Rejects when this user may not run the file. */
  readonly mayRun: (file: string) => Promise<void>;
  /** With every link resolved, spelled as the disk has it. */
  readonly realPath: (file: string) => Promise<string>;
}

/** The Git of this machine, as a shell would find it; never one inside of the folder. */
export async function findGit(options: FindGitOptions): Promise<string | undefined> {
  const { folder, searchPath, platform, mayRun, realPath } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const name = platform === 'win32' ? 'git.exe' : 'git';
  const inside = await realPath(folder).catch(() => folder);
  for (const entry of searchPath.split(paths.delimiter)) {
    const place = platform === 'win32' ? entry.replace(/^"(.*)"$/, '$1') : entry;
    // A relative entry would be one of wherever Git is started.
    if (!paths.isAbsolute(place)) continue;
    const file = paths.join(place, name);
    try {
      await mayRun(file);
      const real = await realPath(file);
      if (real !== inside && !isInsideFolder(real, inside, paths)) return file;
    } catch {
      // Not here.
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
