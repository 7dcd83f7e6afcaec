import { stat } from 'node:fs';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../../base/common/errors';
import { isThreadFileName } from '../ampFolder/ampData';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';

interface StoreScan {
  readonly files: readonly FileVersionKey[];
  /** The folders that can be read. */
  readonly folders: readonly string[];
  /** The folders that exist but cannot be read. */
  readonly problems: readonly FolderProblem[];
}

export interface FolderProblem {
  readonly folder: string;
  readonly isFolder: boolean;
  readonly message: string;
}

const maxParallelStats = 64;

/** Lists the thread files in folders by name and stats, without reading them. */
export async function scanFolders(candidates: readonly string[]): Promise<StoreScan> {
  const files: FileVersionKey[] = [];
  const folders: string[] = [];
  const problems: FolderProblem[] = [];
  for (const folder of new Set(candidates)) {
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

/**
 * Reads the stats of files. Uses callbacks, because promises take twice as long for thousands of files. Skips files
 * that no longer exist.
 */
function statAll(paths: readonly string[]): Promise<readonly FileVersionKey[]> {
  return new Promise((resolve) => {
    const files: FileVersionKey[] = [];
    let started = 0;
    let ended = 0;
    const next = (): void => {
      const file = paths[started];
      if (file === undefined) return;
      started++;
      stat(file, (error, stats) => {
        ended++;
        if (!error && stats.isFile()) files.push({ path: file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs });
        if (ended === paths.length) resolve(files);
        else next();
      });
    };
    if (paths.length === 0) resolve(files);
    for (let index = 0; index < maxParallelStats; index++) next();
  });
}
