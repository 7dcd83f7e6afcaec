import type { Event } from '../../../base/common/event';
import type { Hunk } from './hunks';

/** The texts that the user saw when keeping or undoing a hunk. */
export interface TextsShownToUser {
  readonly baseline: string;
  readonly text: string;
}

/** The changes to review in one file. */
export interface FileHunks {
  readonly path: string;
  readonly seen: TextsShownToUser;
  readonly hunks: readonly Hunk[];
}

/** The texts of a file without and with the changes to review. Null: there is no file; undefined: it has no known text. */
export interface TextsOfChange {
  readonly baseline: string | null | undefined;
  /** Includes unsaved text. */
  readonly text: string | null | undefined;
  /** Differs for different changes of a file without text, or of its mode. */
  readonly state?: string;
}

/** The changes of agents that the user has neither kept nor undone. */
export interface ReviewSource {
  /** Fires when the files or their remaining changes may have changed. */
  readonly onDidChange: Event<void>;
  /** Absolute paths of the changed files without duplicates, in the order of the changes. */
  readonly paths: readonly string[];
  /** The former paths of renamed files, by path. */
  readonly formerPaths: ReadonlyMap<string, string>;
  /**
   * Returns the text of a file without the changes to review. The user's own edits are included if they can be
   * separated from those changes. Null if the file did not exist, undefined if its earlier text is unknown.
   */
  baseline(path: string): Promise<string | null | undefined>;
  /** Never rejects. */
  texts(path: string): Promise<TextsOfChange>;
  /** Keeps the change of these lines. @throws Error if the file or its baseline differs from what the user saw */
  keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /**
   * Restores the baseline's lines with one edit that VS Code can undo. Saves the file if it had no unsaved changes.
   * @throws Error if the file or its baseline differs from what the user saw, or if the file cannot be edited
   */
  undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /** Opens a side question about the change of these lines, in the conversation that the change belongs to. @throws Error */
  askAboutHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  keepFile(path: string): Promise<void>;
  /** Undoes all changes of a file. Asks for confirmation if other changes would be lost. */
  undoFile(path: string): Promise<void>;
  keepAll(): Promise<void>;
  /** Undoes the changes of all files. Asks for confirmation. */
  undoAll(): Promise<void>;
  /** Compares these files with their current texts. Never rejects. */
  refresh(paths: ReadonlySet<string>): Promise<void>;
}
