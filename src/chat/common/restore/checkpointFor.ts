import type { FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import { isInside } from '../../../editor/common/boundary';

/** Returns the checkpoint of the folder that contains the file. The last one if folders overlap. */
export function checkpointFor(path: string, folders: readonly FolderCheckpoint[]): FolderCheckpoint | undefined {
  return folders.findLast(({ folder }) => isInside(path, folder, false));
}
