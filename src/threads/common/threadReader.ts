import type { OpenThread, ThreadHead, ThreadSourceKind } from './threadPorts';

export interface ThreadFile {
  /** Absolute. */
  readonly path: string;
  readonly source: ThreadSourceKind;
  /** Wins over the id in the document. */
  readonly threadId?: string;
}

/** Where a document was read. Times are milliseconds since the epoch. */
export interface ReadFrom {
  readonly source: ThreadSourceKind;
  /** Wins over the one in the document; files of the store are named by it. Without one that is an id, the path is it. */
  readonly threadId?: string;
  /** Absolute. */
  readonly path?: string;
  readonly sizeBytes?: number;
  /** When the file was last written. */
  readonly mtimeMs?: number;
  /** Now: tells what runs from what only seems to. */
  readonly nowMs: number;
}

/** Reads whole threads, in a worker. It keeps what it needs to leave unchanged entries as they are. */
export interface ThreadReader {
  /**
   * `onFirst` is for a thread that takes a while: called once, before all of it is here, with the last of its entries. They
   * are the same objects in the result.
   * @throws ThreadError `notFound`, `tooLarge`, `unreadable` or `cancelled`
   */
  read(file: ThreadFile, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread>;
  /**
   * What the list needs of it. One that cannot be read says so in `problem`. Undefined for what Amp hides, and for a file
   * that has gone. @throws ThreadError `cancelled`; `unreadable` when nothing can be read at all
   */
  head(file: ThreadFile): Promise<ThreadHead | undefined>;
  /** What an entry was made of, as indented JSON; undefined when there is none of that id. @throws ThreadError */
  rawJson(file: ThreadFile, entryId: string): Promise<string | undefined>;
  /** What the last reading of that file took, in milliseconds; 0 when there was none. Who follows a file waits longer the more. */
  costMs(path: string): number;
}
