import { isInsideFolder } from '../../base/node/isInsideFolder';

/**
 * Returns the index of the folder whose checkpoints answer for a file: the innermost one that contains it, so that no file
 * is listed or restored twice where workspace folders overlap. The first one of equal folders. All are absolute real paths.
 */
export function findOwningFolder(folders: readonly string[], file: string): number | undefined {
  let owner: number | undefined;
  for (const [at, folder] of folders.entries()) {
    const isAround = file === folder || isInsideFolder(file, folder);
    if (isAround && (owner === undefined || isInsideFolder(folder, folders[owner] ?? ''))) owner = at;
  }
  return owner;
}
