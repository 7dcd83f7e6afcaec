import type { GitHead } from './gitHead';

/** The stored state of the files in a workspace folder. It exists until it is dropped or pruned. */
export interface Checkpoint {
  /** Unique in its store, even after a restart. */
  readonly id: string;
  /** Time of the checkpoint, in milliseconds since the epoch. */
  readonly at: number;
  readonly label: string;
  /** What it was taken for, for example the turns of a conversation. Undefined in checkpoints of earlier versions. */
  readonly series?: string | undefined;
}

/** Why a file or folder is not in a checkpoint. */
export type LeftOutReason =
  /** The file matches `backline.exclude`. */
  | 'excluded'
  /** The file is ignored on only one side of a comparison. */
  | 'ignored'
  /** The file is older than the checkpoint, which does not contain it, so nobody has made it since. */
  | 'older'
  | 'tooLarge'
  /** The item is a pipe, socket or device. */
  | 'special'
  /** The file could not be read, or it changed while it was read. */
  | 'unreadable'
  /** The folder contains another repository, for example a submodule. */
  | 'nestedRepository'
  /** The name is not valid UTF-8. */
  | 'nameNotText';

export interface LeftOutItem {
  /** Path relative to the folder, with `/` as separator. A trailing `/` marks a folder, including its contents. */
  readonly path: string;
  readonly reason: LeftOutReason;
  readonly bytes?: number | undefined;
}

/** Ignore patterns from outside the folder's own `.gitignore` files. */
export interface OuterIgnoreRules {
  /** The patterns of the user and of the repository, which are not in a `.gitignore`. */
  readonly patterns: string;
  /** Path of the folder relative to the root of the user's repository: empty, or ending with `/`. */
  readonly prefix: string;
  /** The text of the `.gitignore` of each parent folder in the repository, from its root. */
  readonly parents: readonly string[];
}

/** What a checkpoint does not contain, and why. */
export interface CheckpointScope {
  /** All items that are not in the checkpoint although no ignore pattern matches them. */
  readonly leftOut: readonly LeftOutItem[];
  /**
   * The files that were ignored, whichever rule it was. A trailing `/` marks a folder, including its contents.
   * Undefined if they are unknown.
   */
  readonly ignored: readonly string[] | undefined;
  readonly rules: OuterIgnoreRules;
  /** Files that the checkpoint contains although they were ignored, because a restore was about to change them. */
  readonly saved?: readonly string[] | undefined;
}

/** A checkpoint and what it does not contain. */
export interface CheckpointDetails extends Checkpoint {
  /**
   * Time before the scan of the folder, in milliseconds of the file system's clock. Files that were changed later may
   * be in the checkpoint or not. Undefined in checkpoints of earlier versions.
   */
  readonly scannedAt?: number | undefined;
  /** The first items that are not in the checkpoint, at most `maxLeftOut`. */
  readonly leftOut: readonly LeftOutItem[];
  /** Where the user's repository stood. Undefined without one, and in checkpoints of earlier versions. */
  readonly git?: GitHead | undefined;
  /** Total number of items that are not in the checkpoint. */
  readonly leftOutCount: number;
}

export const maxLeftOut = 2_000;

/** The type of a file. A symbolic link has its target as content. */
export type FileKind = 'file' | 'executable' | 'symlink';

/** The state of a file on one side of a change. */
export interface FileState {
  readonly kind: FileKind;
  /** Git object id of the content. */
  readonly object: string;
  readonly bytes: number;
}

interface Compared {
  /** Path relative to the folder, with `/` as separator. */
  readonly path: string;
  /** Whether Git treats the file as binary: it has a NUL byte near the start. Binary files have no line counts. */
  readonly isBinary: boolean;
  readonly addedLines: number;
  readonly deletedLines: number;
}

export type CheckpointFileChange =
  | (Compared & { readonly status: 'added'; readonly after: FileState })
  | (Compared & { readonly status: 'deleted'; readonly before: FileState })
  /** `modeChanged`: only the file mode differs. `typeChanged`: a file has become a symbolic link, or a link a file. */
  | (Compared & {
      readonly status: 'modified' | 'modeChanged' | 'typeChanged';
      readonly before: FileState;
      readonly after: FileState;
    })
  | (Compared & {
      readonly status: 'renamed';
      readonly from: string;
      readonly before: FileState;
      readonly after: FileState;
    });

export interface CheckpointDifference {
  readonly changes: readonly CheckpointFileChange[];
  /** Paths that can't be compared, because one of the checkpoints does not contain them. */
  readonly leftOut: readonly LeftOutItem[];
  /**
   * What the earlier state does not contain although it was there, and no longer exists. Empty unless the later state is the current
   * one, and this was wanted. A trailing `/` marks a folder.
   */
  readonly gone: readonly string[];
}

/** Limits for the scan of a folder for one checkpoint. */
export interface CheckpointScanLimits {
  /** Maximum size of a file, in bytes. Larger files are not stored. */
  readonly maxFileBytes: number;
  /** Maximum number of files that must be read for one checkpoint. */
  readonly maxNewFiles: number;
  readonly maxNewBytes: number;
  readonly maxMs: number;
}

export const defaultScanLimits: CheckpointScanLimits = {
  maxFileBytes: 100 * 1024 * 1024,
  maxNewFiles: 200_000,
  maxNewBytes: 2 * 1024 * 1024 * 1024,
  maxMs: 60_000,
};
