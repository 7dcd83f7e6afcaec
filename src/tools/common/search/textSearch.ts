/** Looks for text in the files of the workspace. What it gives has not been checked by the boundary. */
export interface TextSearch {
  /**
   * Files as they are found, each once. Unsaved text counts, not what is on disk below it. Ends early when the signal
   * fires. @throws ToolError for a pattern or glob that is none
   */
  find(query: TextQuery, signal: AbortSignal): AsyncIterable<FoundText>;
}

export interface TextQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly isWholeWord: boolean;
  /** A glob relative to the workspace folder; one without a slash is of names. */
  readonly include?: string;
}

export interface FoundText {
  /** Absolute. */
  readonly path: string;
  readonly matches: readonly FoundLine[];
}

export interface FoundLine {
  /** 0-based. */
  readonly line: number;
  /** 0-based, in UTF-16 units, of the first match in the line. */
  readonly character: number;
  /** Without its line ending. */
  readonly text: string;
}
