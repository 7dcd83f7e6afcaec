import { lstat, realpath, stat } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import * as path from 'node:path';

/** What the boundary of the workspace asks the system. A test hands in another system's. */
export interface GuardSystem {
  readonly paths: path.PlatformPath;
  /** With every link resolved, spelled as the disk has it. */
  readonly realpath: (file: string) => Promise<string>;
  /** Rejects when there is nothing; a link that leads nowhere is something. */
  readonly lstat: (file: string) => Promise<unknown>;
  readonly stat: (file: string) => Promise<BigIntStats>;
}

export const thisGuardSystem: GuardSystem = {
  paths: path,
  realpath: (file) => realpath(file),
  lstat: (file) => lstat(file),
  stat: (file) => stat(file, { bigint: true }),
};
