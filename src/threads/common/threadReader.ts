import type { OpenThread, ThreadHead, ThreadSourceKind } from './threadPorts';

export interface ThreadFile {
  /** Absolute path. */
  readonly path: string;
  readonly source: ThreadSourceKind;
  /** Overrides the id in the document. */
  readonly threadId?: string;
}

/** The origin of a document. Times are milliseconds since the epoch. */
export interface DocumentOrigin {
  readonly source: ThreadSourceKind;
  /** Overrides the id in the document. Without any valid id, the path is used. */
  readonly threadId?: string;
  /** Absolute path. */
  readonly path?: string;
  readonly sizeBytes?: number;
  /** When the file was last written. */
  readonly mtimeMs?: number;
  /** The current time, to distinguish running threads from stale ones. */
  readonly nowMs: number;
}

/** Reads whole threads. Unchanged entries are the same objects as in the previous read. */
export interface ThreadReader {
  /**
   * For a long thread, calls `onFirst` once with the last entries before the read is complete.
   * @throws ThreadError `notFound`, `tooLarge`, `unreadable` or `cancelled`
   */
  read(file: ThreadFile, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread>;
  /**
   * Returns the head, with a `problem` for an unreadable file. Undefined for hidden threads and missing files.
   * @throws ThreadError `cancelled`; `unreadable` when the worker is unavailable
   */
  head(file: ThreadFile): Promise<ThreadHead | undefined>;
  /** Returns the source of an entry as indented JSON, or undefined when there is no such entry. @throws ThreadError */
  rawJson(file: ThreadFile, entryId: string): Promise<string | undefined>;
  /** Returns the duration of the last read of a file in milliseconds, or 0. Expensive files are read less often. */
  costMs(path: string): number;
}
