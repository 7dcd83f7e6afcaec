import { KeyedQueue } from '../../base/common/async';
import type { EditorPort } from './editorPort';

export type FileAccess = Pick<EditorPort, 'resolve' | 'realPathOf' | 'readText' | 'writeText'>;

/** The session that writes a file. */
export interface WriterSession {
  readonly backendId: string;
  readonly sessionId: string;
}

/** Observes writes, so that the previous contents can be shown and restored. */
export interface WriteObserver {
  /**
   * Called before a write. `path` is resolved. The file may not exist. The write starts when the result settles. Never
   * rejects.
   */
  beforeWrite(writer: WriterSession, path: string): Promise<void>;
  /** Called after a successful write. Never rejects. */
  afterWrite(writer: WriterSession, path: string): Promise<void>;
  /** Called after a write that failed. Some of its files may have been written. Never rejects. */
  afterFailedWrite(writer: WriterSession, path: string): Promise<void>;
}

/** Calls the observer around the writes of a session. Writes of the same file run one at a time. */
export class ObservedWrites {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly observer: WriteObserver | undefined,
    private readonly writingSession: WriterSession,
  ) {}

  /** Runs a write of these files. Paths are absolute and resolved. @throws the errors of `write` */
  async run<T>(paths: readonly string[], write: () => Promise<T>): Promise<T> {
    // All writes use the same order, which prevents a deadlock.
    const sorted = [...new Set(paths)].sort();
    const inTurn = sorted.reduceRight<() => Promise<T>>(
      (next, path) => () => this.queue.run(path, next),
      () => this.observe(sorted, write),
    );
    return await inTurn();
  }

  private async observe<T>(paths: readonly string[], write: () => Promise<T>): Promise<T> {
    const { observer, writingSession } = this;
    for (const path of paths) await observer?.beforeWrite(writingSession, path);
    try {
      const written = await write();
      for (const path of paths) await observer?.afterWrite(writingSession, path);
      return written;
    } catch (error) {
      for (const path of paths) await observer?.afterFailedWrite(writingSession, path);
      throw error;
    }
  }
}

export function withObservedWrites(files: FileAccess, writes: ObservedWrites): FileAccess {
  return {
    resolve: (path) => files.resolve(path),
    realPathOf: (path) => files.realPathOf(path),
    readText: (path, options) => files.readText(path, options),
    writeText: async (path, text, options) => {
      const resolved = await files.resolve(path);
      return await writes.run([resolved], () => files.writeText(path, text, options));
    },
  };
}
