import type { FileState } from '../../../changes/common/checkpoint';

/** A file that Backline is about to write or to delete, and its state on disk after that. Undefined if there is no file then. */
export interface PlannedState {
  /** Absolute path. */
  readonly path: string;
  readonly after: FileState | undefined;
}

/** Tells all other conversations what the user's undo or restore writes, before it does. */
export interface UndoWrites {
  /**
   * Runs `write`, which makes this the text of the file, or deletes it if the text is null. It returns the text that the file has
   * then, if that is another, as a formatter may have changed it. @throws the errors of `write`
   */
  ofText<T>(path: string, text: string | null, write: () => Promise<T>, textOf?: (result: T) => string): Promise<T>;
  /** Runs `write`, which brings files into these states. `isWritten`: whether it has written a file. @throws the errors of `write` */
  ofStates<T>(
    files: readonly PlannedState[],
    write: () => Promise<T>,
    isWritten?: (result: T, path: string) => boolean,
  ): Promise<T>;
}
