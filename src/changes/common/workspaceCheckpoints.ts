import type { LeftOut } from './checkpoint';

/** The state of one workspace folder at one moment. */
export interface FolderCheckpoint {
  /** Absolute, as VS Code names the workspace folder. */
  readonly folder: string;
  /** Of the checkpoint in the store of that folder. */
  readonly id: string;
}

export interface TakenCheckpoint {
  /** Of the folders that could be kept. */
  readonly folders: readonly FolderCheckpoint[];
  /** Why other folders were not kept. Each is a sentence for users. */
  readonly problems: readonly string[];
  /** Absolute paths that users may expect to be covered, and are not: nested repositories, very large or unreadable files. */
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
  /** Makes the first checkpoint cheaper. Never rejects. */
  prepare(): Promise<void>;
  /** @throws Error when `signal` fires */
  take(label: string, signal: AbortSignal): Promise<TakenCheckpoint>;
  /** Files of these folders that differ now. A renamed file is two. @throws CheckpointError */
  changedSince(folders: readonly FolderCheckpoint[], signal?: AbortSignal): Promise<readonly ChangedFile[]>;
  /**
   * The text of a file at a checkpoint, decoded as VS Code would; null when it did not exist, undefined when it is no text,
   * too large or not covered. @throws CheckpointError
   */
  textAt(folders: readonly FolderCheckpoint[], path: string): Promise<string | null | undefined>;
}

const expected: ReadonlySet<LeftOut['reason']> = new Set(['excluded', 'ignored', 'special', 'nameNotText']);

/** What users may expect a checkpoint to cover. */
export function isUnexpected({ reason }: LeftOut): boolean {
  return !expected.has(reason);
}
