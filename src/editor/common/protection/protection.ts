export interface Protection {
  /** Why changes need approval, as a clause after a colon. Example: `VS Code runs tasks from this file`. */
  readonly reason: string;
}

/** The texts of a file before and after a change, without byte order mark. */
export interface TextBeforeAndAfter {
  /** The text before the change; undefined for a new file. */
  readonly before: string | undefined;
  /** The text after the change; undefined for a deleted file. */
  readonly after: string | undefined;
}
