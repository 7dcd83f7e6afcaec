import type { CheckpointScope } from '../../common/checkpoint';
import { existsInFolder, mapConcurrently } from './fileStatus';

/** Maximum number of files and folders that are looked for. */
const maxItems = 2_000;

/**
 * Returns what was in the folder but not in the checkpoint, because it was ignored or left out, and no longer exists. A comparison
 * of checkpoints does not find it. Looks only for what the scope lists, files first: a folder that a rule ignores counts as a
 * whole. Paths are relative to the folder; a trailing `/` marks a folder.
 */
export async function findGone(
  folder: string,
  scope: CheckpointScope | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Sockets come and go with programs.
  const leftOut = (scope?.leftOut ?? []).filter(({ reason }) => reason !== 'special' && reason !== 'nameNotText');
  const listed = [...new Set([...leftOut.map(({ path }) => path), ...(scope?.ignored ?? [])])];
  const { files = [], folders = [] } = Object.groupBy(listed, (name) => (name.endsWith('/') ? 'folders' : 'files'));
  const wanted = [...files, ...folders].slice(0, maxItems);
  const found = await mapConcurrently(
    wanted,
    async (name) => ((await existsInFolder(folder, name)) ? [] : [name]),
    signal,
  );
  return found.flat();
}
