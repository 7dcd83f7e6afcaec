import type { Event } from '../../../base/common/event';
import type { WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EditorPort, WriteOptions } from '../../../editor/common/editorPort';

/** How conversations access the files of the workspace. */
export interface ChatFileAccess {
  readonly editor: EditorPort;
  /** Saves its unsaved text, then deletes it. @throws EditorError */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
  /** Undefined if checkpoints are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** Fires with the absolute path of a file that was saved in an editor of this window. */
  readonly onDidSave: Event<string>;
  readonly onWillSave: Event<PendingSave>;
  /**
   * Reads a file from disk, decoded as its editor does, without unsaved text. Does not wait for running writes. Null if it does not
   * exist, undefined if it is too large or not text. @throws Error
   */
  readDiskText(path: string): Promise<string | null | undefined>;
}

/** A file that is about to be saved in an editor of this window. */
export interface PendingSave {
  readonly path: string;
  /** Delays the save. Call it in the listener. */
  readonly waitUntil: (work: Promise<void>) => void;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;
