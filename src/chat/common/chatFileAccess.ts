import type { Event } from '../../base/common/event';
import type { WorkspaceCheckpoints } from '../../changes/common/workspaceCheckpoints';
import type { EditorPort, WriteOptions } from '../../editor/common/editorPort';

/** File access for conversations, within the workspace. */
export interface ChatFileAccess {
  readonly editor: EditorPort;
  /** Saves unsaved text of the file, then deletes it. @throws EditorError, `dirty` for those of a notebook or custom editor */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
  /** The checkpoints of the workspace folders. Undefined if they are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** Fires when a file was saved in an editor of this window, with its absolute path. */
  readonly onDidSave: Event<string>;
  readonly onWillSave: Event<PendingSave>;
  /** Returns the branch of the repository of a folder (absolute path). Undefined if there is none. Never rejects. */
  branchOf?(folder: string): Promise<string | undefined>;
  /** Returns the id of the commit that is checked out in a folder (absolute path). Undefined if there is none. Never rejects. */
  headCommitOf?(folder: string): Promise<string | undefined>;
  /**
   * Reads a file from disk, decoded like its editor does, without unsaved text. Does not wait for running writes. Null
   * if the file does not exist, undefined if it is too large or not text. @throws Error
   */
  readDiskText(path: string): Promise<string | null | undefined>;
}

/** A file that is about to be saved in an editor of this window. */
export interface PendingSave {
  readonly path: string;
  /** Delays the save until the promise settles. Only works when called synchronously in the listener. */
  readonly waitUntil: (work: Promise<void>) => void;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;
