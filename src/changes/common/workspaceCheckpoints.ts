import type { FileKind, LeftOut } from './checkpoint';

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

/** A file that differs from a checkpoint. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly isBinary: boolean;
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

export type ResumeOutcome = Pick<RestoreOutcome, 'restored' | 'skipped'>;

/** Checkpoints of all workspace folders. */
export interface WorkspaceCheckpoints {
  /** Prepares the stores, so that the first checkpoint is faster. Never rejects. */
  prepare(): Promise<void>;
  /** @throws Error when `signal` fires */
  take(label: string, signal: AbortSignal): Promise<TakenCheckpoint>;
  /** Returns the files that differ now. A renamed file is listed with both paths. @throws CheckpointError */
  changedSince(folders: readonly FolderCheckpoint[], signal?: AbortSignal): Promise<readonly ChangedFile[]>;
  /**
   * Returns the text of a file at a checkpoint, decoded as VS Code does. Null if the file did not exist, undefined if it is
   * binary, too large or not covered. @throws CheckpointError
   */
  textAt(folders: readonly FolderCheckpoint[], path: string): Promise<string | null | undefined>;
  /** Compares the folders with checkpoints. Changes nothing. @throws CheckpointError `unknownCheckpoint` if one was removed */
  planRestore(folders: readonly FolderCheckpoint[], signal: AbortSignal): Promise<RestorePreview>;
  /**
   * Restores some files of a preview, after taking a checkpoint. Skips files that have changed since the preview, and the files of
   * a folder that fails. @throws CheckpointError if every folder fails; `restoreUnfinished` until `resume` was called
   */
  restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    signal: AbortSignal,
  ): Promise<RestoreOutcome>;
  /** Returns a restore that was cut off, for example because VS Code was killed. @throws CheckpointError */
  interrupted(): Promise<InterruptedRestore | undefined>;
  /** Finishes or undoes a restore that was cut off. @throws CheckpointError */
  resume(direction: ResumeDirection, signal: AbortSignal): Promise<ResumeOutcome>;
}

const expected: ReadonlySet<LeftOut['reason']> = new Set(['excluded', 'ignored', 'special', 'nameNotText']);

/** Whether users may expect a checkpoint to cover the item. */
export function isUnexpectedlyLeftOut({ reason }: LeftOut): boolean {
  return !expected.has(reason);
}
