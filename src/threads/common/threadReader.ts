import type { OpenThread, ThreadSourceKind } from './threadPorts';

/** A file with one thread in it. */
export interface ThreadFile {
  /** Absolute. */
  readonly path: string;
  readonly source: ThreadSourceKind;
  /** Wins over the id in the document. */
  readonly threadId?: string;
}

/** Reads whole threads, here or in a worker. It keeps what it needs to leave unchanged entries as they are. */
export interface ThreadReader {
  /** @throws ThreadError `notFound`, `tooLarge`, `unreadable` or `cancelled` */
  read(file: ThreadFile, signal?: AbortSignal): Promise<OpenThread>;
  /** What an entry was made of, as indented JSON; undefined when there is none of that id. @throws ThreadError */
  rawJson(file: ThreadFile, entryId: string): Promise<string | undefined>;
  /** What the last reading of that file took, in milliseconds; 0 when there was none. Who follows a file waits longer the more. */
  costMs(path: string): number;
}
