/** How the files of a workspace folder were at one moment. It holds until it is dropped or pruned. */
export interface Checkpoint {
  /** Names it in this store, also after a restart. */
  readonly id: string;
  /** Time of day, in milliseconds since the epoch. */
  readonly at: number;
  readonly label: string;
}

/** Why something in the folder is not in a checkpoint. */
export type LeftOutReason =
  /** By the exclude list of Backline. */
  | 'excluded'
  /** By a `.gitignore` at one end of a comparison, but not at the other. */
  | 'ignored'
  | 'tooLarge'
  /** A pipe, a socket or a device. */
  | 'special'
  | 'unreadable'
  /** Another repository inside the folder, for example a submodule. */
  | 'nestedRepository'
  /** Its name is not UTF-8. */
  | 'nameNotText';

export interface LeftOut {
  /** Below the folder, separated by `/`. With `/` at the end it is a folder, and all that is in it is meant. */
  readonly path: string;
  readonly reason: LeftOutReason;
  readonly bytes?: number | undefined;
}

/** What is known of one checkpoint besides its files. */
export interface CheckpointDetails extends Checkpoint {
  /** At most `mostLeftOut` of them. */
  readonly leftOut: readonly LeftOut[];
  /** How many there were in all. */
  readonly leftOutCount: number;
  /** Files that were written to all the time: the checkpoint holds what one reading found. */
  readonly unsettled: readonly string[];
}

export const mostLeftOut = 2_000;

/** What a path holds: for a symbolic link its target is the content. */
export type FileKind = 'file' | 'executable' | 'symlink';

/** One side of a change. */
export interface FileState {
  readonly kind: FileKind;
  /** Git's name of the content: the same content has the same one. */
  readonly object: string;
  readonly bytes: number;
}

interface Compared {
  /** Below the folder, separated by `/`. */
  readonly path: string;
  /** Git takes content with a NUL near its start for binary; then there are no lines to count. */
  readonly isBinary: boolean;
  readonly addedLines: number;
  readonly deletedLines: number;
}

export type FileChange =
  | (Compared & { readonly status: 'added'; readonly after: FileState })
  | (Compared & { readonly status: 'deleted'; readonly before: FileState })
  /** `modeChanged`: the content is the same. `typeChanged`: a file has become a symbolic link, or the other way round. */
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

export interface Difference {
  readonly changes: readonly FileChange[];
  /** What cannot be compared, because it is missing in one of the two for another reason than that it did not exist. */
  readonly leftOut: readonly LeftOut[];
}

/** What is possible of a folder, and within what time. */
export interface CheckpointLimits {
  /** Of one file; a larger one is left out. */
  readonly maxFileBytes: number;
  /** Of files to be read for one checkpoint. */
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
