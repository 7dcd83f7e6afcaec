import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { relativePathIn } from '../common/boundary';
import type { WorkspacePath } from '../common/globRules';

/** Maximum number of files that one search visits in all folders. */
const maxFiles = 3_000;
/** Maximum depth below a top-level folder whose name starts with a dot. */
const maxDepth = 3;
/** Folders that are not searched, because they contain many files and no protected ones. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'objects', 'logs', 'refs', 'worktrees', 'lfs']);

/**
 * Finds other hard links of a file where tools keep their configuration: at the top of each workspace folder and in its
 * folders that start with a dot, up to 3,000 files and three levels deep. `realPath` and `folders` are real paths.
 */
export async function findHardLinkedNames(
  { realPath, info }: { readonly realPath: string; readonly info: BigIntStats },
  folders: readonly string[],
  isWindows: boolean,
): Promise<WorkspacePath[]> {
  if (!info.isFile() || info.nlink < 2n) return [];
  const names: WorkspacePath[] = [];
  let remainingFiles = maxFiles;
  const look = async (root: string, folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      if (remainingFiles <= 0) return;
      const file = path.join(folder, entry.name);
      if (entry.isFile()) {
        remainingFiles--;
        if (file !== realPath && (await isSameFile(file, info))) add(root, file);
      } else if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
        const isDeeper = depth === 0 ? entry.name.startsWith('.') : depth <= maxDepth;
        if (isDeeper) await look(root, file, depth + 1);
      }
    }
  };
  const add = (root: string, file: string): void => {
    const relativePath = relativePathIn(file, root, isWindows);
    if (relativePath !== undefined) names.push({ path: file, relativePath });
  };
  for (const folder of folders) await look(folder, folder, 0);
  return names;
}

async function isSameFile(file: string, { dev, ino }: BigIntStats): Promise<boolean> {
  const other = await stat(file, { bigint: true }).catch(() => undefined);
  return other?.ino === ino && other.dev === dev;
}

/** Returns files first, so that the limit only affects nested folders. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return [...entries.filter((entry) => !entry.isDirectory()), ...entries.filter((entry) => entry.isDirectory())];
}
