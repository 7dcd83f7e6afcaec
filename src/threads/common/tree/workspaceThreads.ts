import type { ThreadHead } from '../threadPorts';

/**
 * Returns a function that checks whether a thread belongs to the workspace. Such a thread worked in, below or above one
 * of the `folders` (absolute paths), or in the same repository as such a thread, perhaps in a worktree that no longer
 * exists.
 */
export function createWorkspaceMatcher(
  heads: readonly ThreadHead[],
  folders: readonly string[],
): (head: ThreadHead) => boolean {
  const roots = folders.map(normalized);
  const isNear = (head: ThreadHead): boolean =>
    head.folders
      .map(normalized)
      .some((folder) => roots.some((root) => isWithin(folder, root) || isWithin(root, folder)));
  const repositories = new Set(
    heads.filter(isNear).flatMap(({ repository }) => (repository === undefined ? [] : [repository])),
  );
  return (head) => isNear(head) || (head.repository !== undefined && repositories.has(head.repository));
}

/** Whether a normalized path is inside a folder. False for the root, which contains every path. */
function isWithin(path: string, folder: string): boolean {
  return folder !== '' && (path === folder || path.startsWith(`${folder}/`));
}

function normalized(path: string): string {
  const slashes = path.replaceAll('\\', '/').replace(/\/+$/, '');
  return slashes.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}
