import type { ThreadHead } from '../threadPorts';

/**
 * Tells which threads belong to the workspace: those that worked in one of its folders (`folders`, absolute, with their
 * worktrees), below or above it, and those of the same repository, which may have worked in a worktree that is gone.
 */
export function workspaceMatcher(
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

/** Both normalized. A file system's root holds everything, and says nothing. */
function isWithin(path: string, folder: string): boolean {
  return folder !== '' && (path === folder || path.startsWith(`${folder}/`));
}

function normalized(path: string): string {
  const slashes = path.replaceAll('\\', '/').replace(/\/+$/, '');
  return slashes.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}
