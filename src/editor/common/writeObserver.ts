import { KeyedQueue } from '../../base/common/async';
import type { EditorPort } from './editorPort';

export type FileAccess = Pick<EditorPort, 'resolve' | 'realPathOf' | 'readText' | 'requireWritable' | 'writeText'>;

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
  /**
   * Called after a successful write. `replaced` is the text that was in the file when it was written, if known: others may
   * have changed the file since `beforeWrite`. Never rejects.
   */
  afterWrite(writer: WriterSession, path: string, replaced?: string): Promise<void>;
  /** Called after a write that failed. Some of its files may have been written. Never rejects. */
  afterFailedWrite(writer: WriterSession, path: string): Promise<void>;
  /**
   * Called right before a command is started for the session: from then on it can write any file, though it prints nothing. Call
   * the result once, when the command has ended or was not started.
   */
  beginCommand(writer: WriterSession): () => void;
}

/** Calls the observer around the writes of a session. Writes of the same file run one at a time. */
export class ObservedWrites {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly observer: WriteObserver | undefined,
    private readonly writingSession: WriterSession,
  ) {}

  /**
   * Runs a write of these files. Paths are absolute and resolved. `replacedTextOf` is called after the write.
   * @throws the errors of `write`
   */
  async run<T>(
    paths: readonly string[],
    write: () => Promise<T>,
    replacedTextOf: (path: string) => string | undefined = () => undefined,
  ): Promise<T> {
    // All writes use the same order, which prevents a deadlock.
    const sorted = [...new Set(paths)].sort();
    const inTurn = sorted.reduceRight<() => Promise<T>>(
      (next, path) => () => this.queue.run(path, next),
      () => this.observe(sorted, write, replacedTextOf),
    );
    return await inTurn();
  }

  /** See `WriteObserver.beginCommand`. */
  beginCommand(): () => void {
    return this.observer?.beginCommand(this.writingSession) ?? (() => undefined);
  }

  private async observe<T>(
    paths: readonly string[],
    write: () => Promise<T>,
    replacedTextOf: (path: string) => string | undefined,
  ): Promise<T> {
    const { observer, writingSession } = this;
    for (const path of paths) await observer?.beforeWrite(writingSession, path);
    try {
      const written = await write();
      for (const path of paths) await observer?.afterWrite(writingSession, path, replacedTextOf(path));
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
    requireWritable: (path, text) => files.requireWritable(path, text),
    writeText: async (path, text, options) => {
      const resolved = await files.resolve(path);
      let replaced: string | undefined;
      const mayReplace = (current: string): boolean => {
        replaced = current;
        return options?.mayReplace?.(current) !== false;
      };
      return await writes.run(
        [resolved],
        () => files.writeText(path, text, { ...options, mayReplace }),
        () => replaced,
      );
    },
  };
}
