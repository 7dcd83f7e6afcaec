import type { LeftOut } from './checkpoint';

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
}

const expected: ReadonlySet<LeftOut['reason']> = new Set(['excluded', 'ignored', 'special', 'nameNotText']);

/** Whether users may expect a checkpoint to cover the item. */
export function isUnexpectedlyLeftOut({ reason }: LeftOut): boolean {
  return !expected.has(reason);
}
