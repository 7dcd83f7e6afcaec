import type { Event } from '../../../base/common/event';
import type { Hunk } from './hunks';

/** The texts that the user saw when deciding about a hunk. */
export interface SeenTexts {
  readonly baseline: string;
  readonly text: string;
}

/** Files that agents have changed, until each change is kept or undone. */
export interface ReviewSource {
  /** The files, or what is left of their changes, may be others. */
  readonly onDidChange: Event<void>;
  /** Absolute, each once, in the order in which they were changed. */
  readonly paths: readonly string[];
  /**
   * The text of a file without the agents' changes that are still to be reviewed, but with the user's own edits where the two
   * can be told apart. Null when the file did not exist; undefined when that is not known.
   */
  baseline(path: string): Promise<string | null | undefined>;
  /** The change of these lines is as it should be. @throws Error when the file, or its baseline, is not what was seen */
  keepHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void>;
  /**
   * Puts the lines of the baseline back, by one edit that VS Code can undo. Saves the file when it had no unsaved changes.
   * @throws Error when the file, or its baseline, is not what was seen, and when it cannot be edited
   */
  undoHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void>;
  keepFile(path: string): Promise<void>;
  /** Asks where other changes would be lost. */
  undoFile(path: string): Promise<void>;
  keepAll(): Promise<void>;
  /** Asks first. */
  undoAll(): Promise<void>;
  /** Looks at the file again: the user has edited it. Never rejects. */
  refresh(): Promise<void>;
}
