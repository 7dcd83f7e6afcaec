import type { ThreadWithEntries, ThreadHead, ThreadSourceKind } from './threadPorts';

export interface ThreadFile {
  /** Absolute path of the file. */
  readonly path: string;
  readonly source: ThreadSourceKind;
  /** Id of the thread, which replaces the id in the document. */
  readonly threadId?: string;
}

/** Data about the origin of a document. Times are in milliseconds since the epoch. */
export interface DocumentOrigin {
  readonly source: ThreadSourceKind;
  /** Replaces the id in the document. If there is no valid id at all, the path is used. */
  readonly threadId?: string;
  /** Absolute path of the file. */
  readonly path?: string;
  readonly sizeBytes?: number;
  /** Time when the file was last written. */
  readonly mtimeMs?: number;
  /** The current time. Used to distinguish running threads from stale ones. */
  readonly nowMs: number;
}

/** Reads complete threads. Unchanged entries are the same objects as in the previous read. */
export interface ThreadReader {
  /**
   * Reads a thread. For a long thread, calls `onFirst` once, with the last entries, before the read is complete.
   * @throws ThreadError `notFound`, `tooLarge`, `unreadable` or `cancelled`
   */
  read(
    file: ThreadFile,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries>;
  /**
   * Returns the head of a thread. It has a `problem` if the file is unreadable. Undefined for hidden threads and
   * missing files.
   * @throws ThreadError `cancelled`; `unreadable` if the worker is unavailable
   */
  head(file: ThreadFile): Promise<ThreadHead | undefined>;
  /** Returns the source of an entry as indented JSON. Undefined if there is no such entry. @throws ThreadError */
  rawJson(file: ThreadFile, entryId: string): Promise<string | undefined>;
  /** Duration of the last read of a file in milliseconds, or 0. Slow files are read less often. */
  costMs(path: string): number;
}
