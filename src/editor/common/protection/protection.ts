/** Why the user is asked before a file is changed. */
export interface Protection {
  /** Half a sentence without a full stop, to follow a colon, for example `VS Code runs tasks from this file`. */
  readonly reason: string;
}

/** Texts as the editor has them: without byte order mark. */
export interface ContentChange {
  /** Undefined for a file that is not there yet. */
  readonly before: string | undefined;
  /** Undefined when the file is taken away. */
  readonly after: string | undefined;
}
