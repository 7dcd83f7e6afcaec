import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { relativeTo } from '../common/boundary';
import type { FileName } from '../common/globRules';

/** Of one look, in all folders; what is beyond is not looked at. */
const maxFiles = 3_000;
/** Below a folder at the top whose name starts with a dot. */
const maxDepth = 3;
/** Many files, none of which is protected for itself. */
const passedOver: ReadonlySet<string> = new Set(['node_modules', 'objects', 'logs', 'refs', 'worktrees', 'lfs']);

/**
 * Other names of a file: those that it has by hard links where tools look for their files. A file does not know its names, so
 * that they are looked for at the top of each workspace folder and in the folders there whose name starts with a dot, up to
 * 3,000 files and three folders deep. `realPath` and `folders` have all links resolved; `info` is of the file.
 */
export async function hardLinkedNames(
  { realPath, info }: { readonly realPath: string; readonly info: BigIntStats },
  folders: readonly string[],
  isWindows: boolean,
): Promise<FileName[]> {
  if (!info.isFile() || info.nlink < 2n) return [];
  const names: FileName[] = [];
  let left = maxFiles;
  const look = async (root: string, folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      if (left <= 0) return;
      const file = path.join(folder, entry.name);
      if (entry.isFile()) {
        left--;
        if (file !== realPath && (await isSameFile(file, info))) add(root, file);
      } else if (entry.isDirectory() && !passedOver.has(entry.name)) {
        const isDeeper = depth === 0 ? entry.name.startsWith('.') : depth <= maxDepth;
        if (isDeeper) await look(root, file, depth + 1);
      }
    }
  };
  const add = (root: string, file: string): void => {
    const relativePath = relativeTo(file, root, isWindows);
    if (relativePath !== undefined) names.push({ path: file, relativePath });
  };
  for (const folder of folders) await look(folder, folder, 0);
  return names;
}

async function isSameFile(file: string, { dev, ino }: BigIntStats): Promise<boolean> {
  const other = await stat(file, { bigint: true }).catch(() => undefined);
  return other?.ino === ino && other.dev === dev;
}

/** Files first, so that the bound takes what is deep. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return [...entries.filter((entry) => !entry.isDirectory()), ...entries.filter((entry) => entry.isDirectory())];
}
