import { lstat, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** File system access of `PathGuard`. Tests replace it to simulate other operating systems. */
export interface PathGuardFileSystem {
  readonly paths: path.PlatformPath;
  /** Resolves links and returns the path as spelled on disk. */
  readonly realpath: (file: string) => Promise<string>;
  /** Rejects if nothing exists at the path. A broken link counts as existing. */
  readonly lstat: (file: string) => Promise<unknown>;
  /** Rejects if nothing exists at the path, or if it is a broken link. */
  readonly stat: (file: string) => Promise<unknown>;
}

export const localFileSystem: PathGuardFileSystem = {
  paths: path,
  realpath: (file) => realpath(file),
  lstat: (file) => lstat(file),
  stat: (file) => stat(file),
};
