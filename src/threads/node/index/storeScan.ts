import { stat } from 'node:fs';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../../base/common/errors';
import { isThreadFileName } from '../ampFolder/ampData';
import type { FileKey } from '../files/fileKey';

interface StoreScan {
  readonly files: readonly FileKey[];
  /** Those that were read. */
  readonly folders: readonly string[];
  /** Folders that are there and cannot be read. */
  readonly problems: readonly FolderProblem[];
}

export interface FolderProblem {
  readonly folder: string;
  /** Else something else stands in its place. */
  readonly isFolder: boolean;
  readonly message: string;
}

const statsAtOnce = 64;

/** The thread files of the folders, by names and stats alone. A file that vanishes meanwhile is left out. */
export async function scanFolders(all: readonly string[]): Promise<StoreScan> {
  const files: FileKey[] = [];
  const folders: string[] = [];
  const problems: FolderProblem[] = [];
  for (const folder of new Set(all)) {
    try {
      const names = await readdir(folder);
      const paths = names.filter(isThreadFileName).map((name) => path.join(folder, name));
      files.push(...(await statAll(paths)));
      folders.push(folder);
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT') problems.push({ folder, isFolder: code !== 'ENOTDIR', message: messageOf(error) });
    }
  }
  return { files, folders, problems };
}

/** By callbacks: promises of stats cost twice the time, and lists are made of thousands. */
function statAll(paths: readonly string[]): Promise<readonly FileKey[]> {
  return new Promise((resolve) => {
    const found: FileKey[] = [];
    let started = 0;
    let ended = 0;
    const next = (): void => {
      const file = paths[started];
      if (file === undefined) return;
      started++;
      stat(file, (error, stats) => {
        ended++;
        if (!error && stats.isFile()) found.push({ path: file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs });
        if (ended === paths.length) resolve(found);
        else next();
      });
    };
    if (paths.length === 0) resolve(found);
    for (let index = 0; index < statsAtOnce; index++) next();
  });
}
