import { withForwardSlashes } from '../../../editor/common/boundary';

/** Ranks files by distance: same file, same folder, then by steps between folders. */

/** Folders of generated or third-party files, which come last. */
const foreignFolders = new Set(['node_modules', 'vendor', 'third_party', 'dist', 'build', 'out', 'target', '.venv']);

/** Sorts absolute paths by distance to `anchor`, or without one by depth; then by name. */
export function sortByNearness(paths: readonly string[], anchor: string | undefined): string[] {
  const from = anchor === undefined ? undefined : foldersOf(anchor);
  return paths
    .map((path) => ({ path, rank: rankOf(path, anchor, from) }))
    .sort((a, b) => a.rank - b.rank || compareText(a.path, b.path))
    .map(({ path }) => path);
}

function rankOf(path: string, anchor: string | undefined, from: readonly string[] | undefined): number {
  if (path === anchor) return -1;
  const to = foldersOf(path);
  const foreign = to.some((step) => foreignFolders.has(step)) ? 1_000 : 0;
  if (!from) return foreign + to.length;
  const shared = sharedLength(from, to);
  return foreign + from.length - shared + to.length - shared;
}

function foldersOf(path: string): readonly string[] {
  return withForwardSlashes(path).split('/').slice(0, -1);
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((step, index) => step !== b[index]);
  return different === -1 ? a.length : different;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
