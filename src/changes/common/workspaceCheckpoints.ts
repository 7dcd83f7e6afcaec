import type { FileKind, FileState, LeftOutItem } from './checkpoint';
import type { GitMove } from './gitHead';
import type { RestoreStep } from './restorePlan';

/** The state of one workspace folder at one point in time. */
export interface FolderCheckpoint {
  /** Absolute path of the folder from VS Code; links are not resolved. */
  readonly folder: string;
  /** Id of the checkpoint in the folder's store. */
  readonly id: string;
}

export interface TakenCheckpoint {
  /** One checkpoint for each folder whose state could be stored. */
  readonly folders: readonly FolderCheckpoint[];
  /** Why the state of the other folders could not be stored, as messages for users. */
  readonly problems: readonly string[];
  /**
   * Absolute paths that users would expect in the checkpoint but that it does not contain: nested repositories, and
   * very large or unreadable files.
   */
  readonly uncovered: readonly string[];
}

/** A file and the checkpoint of the workspace folder that contains it. */
export interface CheckpointedFile {
  /** Absolute path of the file. */
  readonly path: string;
  readonly checkpoint: FolderCheckpoint;
}

/** A file that differs from the checkpoint. */
export interface ChangedFile extends CheckpointedFile {
  /** The former path of a file that was probably renamed. The list also contains the former path as a deleted file. */
  readonly renamedFrom?: string;
  /** The state in the checkpoint; undefined if the file did not exist. */
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface ChangesSinceCheckpoints {
  readonly files: readonly ChangedFile[];
  /**
   * Absolute paths of what the checkpoints do not contain although it was there, such as ignored files, and that no longer exists, if
   * wanted. A trailing separator marks a folder.
   */
  readonly gone: readonly string[];
  /** Why changes in the other folders are unknown, as messages for users. */
  readonly problems: readonly string[];
}

/** Undefined if there is no file. `other`: what checkpoints do not contain, such as folders and very large files. */
export type CurrentFileState = FileState | 'other' | undefined;

/** A restore of one file. The path of the step is absolute. */
export interface FileRestore {
  readonly checkpoint: FolderCheckpoint;
  /**
   * The step is skipped if the file is no longer in the state `before`. The content of `after` is in the checkpoint.
   */
  readonly step: RestoreStep;
}

/** The effect of a restore on one file. */
export interface RestoreChange {
  /** Absolute path of the file. */
  readonly path: string;
  readonly change: 'modified' | 'created' | 'deleted';
  readonly kind: FileKind;
  /** The state that the file will have. Undefined if it will be deleted. */
  readonly after: FileState | undefined;
}

/** A restore that has not started. It is only valid for the object that returned it. */
export interface RestorePreview {
  readonly changes: readonly RestoreChange[];
  /** Absolute paths that may differ but are not restored. A trailing separator marks a folder with its contents. */
  readonly leftOut: readonly string[];
  /** What has happened in the repositories of the folders, which a restore of files does not bring back. */
  readonly gitMoves: readonly GitMove[];
}

export interface SkippedFile {
  /** Absolute path of the changed file. */
  readonly path: string;
  /** The reason, as a message for users. */
  readonly reason: string;
}

export interface RestoreOutcome {
  /** Absolute paths of the restored files. */
  readonly restored: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** The state before the restore, for each folder in which files were restored. */
  readonly undo: readonly FolderCheckpoint[];
}

/** A restore that was interrupted, with numbers of files. */
export interface InterruptedRestore {
  readonly restored: number;
  readonly total: number;
}

/** What to do with an interrupted restore. */
export type ResumeDirection = 'finish' | 'undo';

export interface ResumeOutcome extends RestoreOutcome {
  /** The checkpoints to which the files were restored. */
  readonly target: readonly FolderCheckpoint[];
  /** The `request` that was passed to `restore`; undefined if there was none. */
  readonly request: string | undefined;
}

export interface TakeOptions {
  /** Files that the checkpoint contains in any case, also if a rule ignores them, unless they are excluded or too large. */
  readonly files?: readonly string[] | undefined;
  /**
   * The newest checkpoint of a series, for example of the turns of a conversation, is kept even if the checkpoints need more space
   * than they may use.
   */
  readonly series?: string | undefined;
}

/** Checkpoints of all workspace folders. */
export interface WorkspaceCheckpoints {
  /** Prepares the stores, so that the first checkpoint is faster. Never rejects. */
  prepare(): Promise<void>;
  /**
   * Adds the checkpoints of the folder `from`, which was moved to `to` or has this path, too. Both are absolute. Never
   * rejects: what could not be read is reported as missing when it is needed.
   */
  adopt(from: string, to: string): Promise<void>;
  /** Takes a checkpoint of all folders. @throws Error when `signal` fires */
  take(label: string, signal: AbortSignal, options?: TakeOptions): Promise<TakenCheckpoint>;
  /**
   * Returns the files that differ from the checkpoints. A renamed file has both paths. `findsGone`: also looks for what is `gone`, which
   * is up to 2,000 more files a folder. Never rejects.
   */
  changesSince(folders: readonly FolderCheckpoint[], findsGone?: boolean): Promise<ChangesSinceCheckpoints>;
  /**
   * Returns the texts that changed files had at their checkpoints, by path, decoded as VS Code does. Null if the file
   * did not exist, undefined if it is not text or is too large. @throws CheckpointError
   */
  textsBefore(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string | null | undefined>>;
  /** Returns the state of a file in its checkpoint. Undefined if the checkpoint does not contain the file. @throws CheckpointError */
  stateAt(file: CheckpointedFile): Promise<FileState | undefined>;
  /** Returns the current states of files on disk, by path. @throws CheckpointError */
  currentStates(files: readonly CheckpointedFile[]): Promise<ReadonlyMap<string, CurrentFileState>>;
  /**
   * Restores a file. Returns a checkpoint from before the restore.
   * @throws CheckpointError if the file was not restored
   */
  restoreFile(restore: FileRestore): Promise<FolderCheckpoint>;
  /** Returns what has happened in the repositories of the folders since the checkpoints. Never rejects. */
  gitMovesSince(folders: readonly FolderCheckpoint[]): Promise<readonly GitMove[]>;
  /** Compares folders with checkpoints. Changes nothing. @throws CheckpointError `unknownCheckpoint` if one is gone */
  planRestore(folders: readonly FolderCheckpoint[], signal: AbortSignal): Promise<RestorePreview>;
  /**
   * Returns the text that a file would have after the restore. Null if it would be deleted, undefined if it is not text
   * or is too large.
   * @throws CheckpointError
   */
  textAfterRestore(preview: RestorePreview, path: string): Promise<string | null | undefined>;
  /**
   * Takes a checkpoint, then restores some files of a preview. Skips files that have changed since the preview, and the
   * files of a folder that fails. If the restore is interrupted, `resume` returns `request`.
   * @throws CheckpointError if every folder fails; `restoreUnfinished` until `resume` was called
   */
  restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    signal: AbortSignal,
    request?: string,
  ): Promise<RestoreOutcome>;
  /** Returns a restore that was interrupted, for example because VS Code was killed. @throws CheckpointError */
  findInterruptedRestore(): Promise<InterruptedRestore | undefined>;
  /** Finishes or undoes an interrupted restore. @throws CheckpointError */
  resume(direction: ResumeDirection, signal: AbortSignal): Promise<ResumeOutcome>;
}

const expected: ReadonlySet<LeftOutItem['reason']> = new Set(['excluded', 'ignored', 'special', 'nameNotText']);

/** Whether users would expect a checkpoint to contain the item. */
export function isUnexpectedlyLeftOut({ reason }: LeftOutItem): boolean {
  return !expected.has(reason);
}
