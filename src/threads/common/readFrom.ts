import type { ThreadSourceKind } from './threadPorts';

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
