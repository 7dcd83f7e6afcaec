import type { FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import { innermostFolder } from '../../../editor/common/boundary';

/** Returns the checkpoint that answers for a file: of the innermost folder that contains it, as each file is only in that one. */
export function checkpointFor(path: string, folders: readonly FolderCheckpoint[]): FolderCheckpoint | undefined {
  const paths = folders.map(({ folder }) => folder);
  const owner = innermostFolder(path, paths, false);
  return folders.find(({ folder }) => folder === owner);
}
