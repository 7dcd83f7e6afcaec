/** Searches text in workspace files. Results may include files that agents must not see. */
export interface TextSearch {
  /** Yields each file once, with unsaved text. Ends when `signal` fires. @throws ToolError for an invalid pattern */
  findText(query: TextQuery, signal: AbortSignal): AsyncIterable<FileMatches>;
}

export interface TextQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly isWholeWord: boolean;
  /** Glob relative to the workspace folder; without a slash it matches names. */
  readonly include?: string;
}

export interface FileMatches {
  /** Absolute path. */
  readonly path: string;
  readonly matches: readonly LineMatch[];
}

export interface LineMatch {
  /** 0-based. */
  readonly line: number;
  /** 0-based UTF-16 offset of the line's first match. */
  readonly character: number;
  /** Without its line ending. */
  readonly text: string;
}
