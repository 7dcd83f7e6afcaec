import type { Event } from '../../../base/common/event';
import type { WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EditorPort, WriteOptions } from '../../../editor/common/editorPort';

/** How conversations access the files of the workspace. */
export interface ChatFileAccess {
  readonly editor: EditorPort;
  /** Deletes a file so that the user can undo it. @throws EditorError */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
  /** Undefined if checkpoints are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** Fires with the absolute path of a file that was saved in an editor of this window. */
  readonly onDidSave: Event<string>;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;
