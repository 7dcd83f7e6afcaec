/** The stored state of a workspace folder's files. Exists until it is dropped or pruned. */
export interface Checkpoint {
  /** Unique in its store, also after a restart. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly label: string;
}

/** Why a file or folder is not in a checkpoint. */
export type LeftOutReason =
  /** By `backline.exclude`. */
  | 'excluded'
  /** By a `.gitignore` on one side of a comparison only. */
  | 'ignored'
  | 'tooLarge'
  /** Pipe, socket or device. */
  | 'special'
  | 'unreadable'
  /** Another repository inside the folder, for example a submodule. */
  | 'nestedRepository'
  /** The name is not valid UTF-8. */
  | 'nameNotText';

export interface LeftOutItem {
  /** Relative to the folder, with `/` as separator. A trailing `/` stands for a folder with its contents. */
  readonly path: string;
  readonly reason: LeftOutReason;
  readonly bytes?: number | undefined;
}

/** A checkpoint with what it does not contain. */
export interface CheckpointDetails extends Checkpoint {
  /** At most `maxLeftOut` items. */
  readonly leftOut: readonly LeftOutItem[];
  /** Total number, including those not in `leftOut`. */
  readonly leftOutCount: number;
  /** Files that kept changing while they were read. The checkpoint has the contents of one of the reads. */
  readonly unsettled: readonly string[];
}

export const maxLeftOut = 2_000;

/** The type of a file. The content of a symbolic link is its target. */
export type FileKind = 'file' | 'executable' | 'symlink';

/** One side of a change. */
export interface FileState {
  readonly kind: FileKind;
  /** Git object id of the content. */
  readonly object: string;
  readonly bytes: number;
}

interface Compared {
  /** Relative to the folder, with `/` as separator. */
  readonly path: string;
  /** By Git's rule: a NUL byte near the start. Binary files have no line counts. */
  readonly isBinary: boolean;
  readonly addedLines: number;
  readonly deletedLines: number;
}

export type FileChange =
  | (Compared & { readonly status: 'added'; readonly after: FileState })
  | (Compared & { readonly status: 'deleted'; readonly before: FileState })
  /** `modeChanged`: only the mode differs. `typeChanged`: a file has become a symbolic link, or the reverse. */
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
  readonly changes: readonly FileChange[];
  /** Paths that can't be compared, because one of the checkpoints leaves them out. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Limits for one checkpoint. */
export interface CheckpointLimits {
  /** Larger files are left out. */
  readonly maxFileBytes: number;
  /** Files that have to be read for one checkpoint. */
  readonly maxNewFiles: number;
  readonly maxNewBytes: number;
  readonly maxMs: number;
}

export const defaultLimits: CheckpointLimits = {
  maxFileBytes: 100 * 1024 * 1024,
  maxNewFiles: 200_000,
  maxNewBytes: 2 * 1024 * 1024 * 1024,
  maxMs: 60_000,
};
