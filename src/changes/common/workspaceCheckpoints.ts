import type { FileKind, FileState, LeftOutItem } from './checkpoint';
import type { RestoreStep } from './restorePlan';

/** The state of one workspace folder at one moment. */
export interface FolderCheckpoint {
  /** Absolute path as in VS Code. */
  readonly folder: string;
  /** Checkpoint id in the folder's store. */
  readonly id: string;
}

export interface TakenCheckpoint {
  /** One for each folder whose state could be stored. */
  readonly folders: readonly FolderCheckpoint[];
  /** Why the state of other folders could not be stored. Messages for users. */
  readonly problems: readonly string[];
  /** Absolute paths that are unexpectedly not covered: nested repositories, very large or unreadable files. */
  readonly uncovered: readonly string[];
}

/** A file, and the checkpoint of the workspace folder that contains it. */
export interface CheckpointedFile {
  /** Absolute. */
  readonly path: string;
  readonly checkpoint: FolderCheckpoint;
}

/** A file that differs from the checkpoint. */
export interface ChangedFile extends CheckpointedFile {
  /** The former path of a file that was probably renamed. That one is listed, too. */
  readonly renamedFrom?: string;
  /** Undefined if there was no file. */
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface FolderChanges {
  readonly files: readonly ChangedFile[];
  /** Why the changes in other folders are not known. Messages for users. */
  readonly problems: readonly string[];
}

/** Undefined if there is no file. `other`: no checkpoint contains it, for example a folder, or a very large or unreadable file. */
export type CurrentState = FileState | 'other' | undefined;

/** A restore of one file. The path of the step is absolute. */
export interface FileRestore {
  readonly checkpoint: FolderCheckpoint;
  /** Nothing is done if the file is no longer in the state `before`. `after` is in the checkpoint. */
  readonly step: RestoreStep;
}

/** What a restore would do to a file. */
export interface RestoreChange {
  /** Absolute. */
  readonly path: string;
  readonly change: 'modified' | 'created' | 'deleted';
  readonly kind: FileKind;
}

/** A restore that has not begun. Only valid for the checkpoints that returned it. */
export interface RestorePreview {
  readonly changes: readonly RestoreChange[];
  /** Absolute paths that may differ but will not be restored. A trailing separator stands for a folder with its contents. */
  readonly leftOut: readonly string[];
}

export interface SkippedFile {
  /** Absolute. */
  readonly path: string;
  /** For users. */
  readonly reason: string;
}

export interface RestoreOutcome {
  /** Absolute. */
  readonly restored: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** The state before the restore, of each folder in which files were restored. */
  readonly undo: readonly FolderCheckpoint[];
}

/** A restore that was cut off, as numbers of files. */
export interface InterruptedRestore {
  readonly restored: number;
  readonly total: number;
}

/** What to do with a restore that was cut off. */
export type ResumeDirection = 'finish' | 'undo';

export interface ResumeOutcome extends RestoreOutcome {
  /** The checkpoints that the files were restored to. */
  readonly target: readonly FolderCheckpoint[];
  /** The argument of `restore`; undefined if there was none. */
  readonly request: string | undefined;
}

/** Checkpoints of all workspace folders. */
export interface WorkspaceCheckpoints {
  /** Prepares the stores, so that the first checkpoint is faster. Never rejects. */
  prepare(): Promise<void>;
  /** @throws Error when `signal` fires */
  take(label: string, signal: AbortSignal): Promise<TakenCheckpoint>;
  /** Returns the files that differ now. A renamed file is listed with both paths. Never rejects. */
  changesSince(folders: readonly FolderCheckpoint[]): Promise<FolderChanges>;
  /**
   * Returns the texts of changed files at their checkpoints by path, decoded as VS Code does. Null if the file did not exist,
   * undefined if it is not text or too large. @throws CheckpointError
   */
  textsBefore(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string | null | undefined>>;
  /** Returns the state of a file in its checkpoint. Undefined if the checkpoint does not contain the file. @throws CheckpointError */
  stateAt(file: CheckpointedFile): Promise<FileState | undefined>;
  /** Returns the states of files on disk by path. @throws CheckpointError */
  currentStates(files: readonly CheckpointedFile[]): Promise<ReadonlyMap<string, CurrentState>>;
  /** Restores a file. Returns a checkpoint of the state before. @throws CheckpointError if the file was not restored */
  restoreFile(restore: FileRestore): Promise<FolderCheckpoint>;
  /** Compares the folders with checkpoints. Changes nothing. @throws CheckpointError `unknownCheckpoint` if one was removed */
  planRestore(folders: readonly FolderCheckpoint[], signal: AbortSignal): Promise<RestorePreview>;
  /**
   * Returns the text that a file of a preview would have. Null if it would be deleted, undefined if it is not text or too large.
   * @throws CheckpointError
   */
  textAfterRestore(preview: RestorePreview, path: string): Promise<string | null | undefined>;
  /**
   * Restores some files of a preview, after taking a checkpoint. Skips files that have changed since the preview, and the files of
   * a folder that fails. `request` is returned by `resume` if the restore is cut off.
   * @throws CheckpointError if every folder fails; `restoreUnfinished` until `resume` was called
   */
  restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    signal: AbortSignal,
    request?: string,
  ): Promise<RestoreOutcome>;
  /** Returns a restore that was cut off, for example because VS Code was killed. @throws CheckpointError */
  interrupted(): Promise<InterruptedRestore | undefined>;
  /** Finishes or undoes a restore that was cut off. @throws CheckpointError */
  resume(direction: ResumeDirection, signal: AbortSignal): Promise<ResumeOutcome>;
}

const expected: ReadonlySet<LeftOutItem['reason']> = new Set(['excluded', 'ignored', 'special', 'nameNotText']);

/** Whether users may expect a checkpoint to cover the item. */
export function isUnexpectedlyLeftOut({ reason }: LeftOutItem): boolean {
  return !expected.has(reason);
}
