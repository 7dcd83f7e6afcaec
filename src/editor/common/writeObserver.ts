import { KeyedQueue } from '../../base/common/async';
import type { EditorPort } from './editorPort';

/** What whoever only reads and writes files needs of the editor. */
export type FileAccess = Pick<EditorPort, 'resolve' | 'readText' | 'writeText'>;

/** Who writes: a session of a backend. */
export interface Writer {
  readonly backendId: string;
  readonly sessionId: string;
}

/** Is called before and after files are written, so that the previous contents can be shown and restored. */
export interface WriteObserver {
  /** `path` is resolved; the file need not exist. The write waits for this, so it is quick. Never rejects. */
  beforeWrite(writer: Writer, path: string): Promise<void>;
  /** The write that was told before has been done; nothing is told of one that failed. Never rejects. */
  afterWrite(writer: Writer, path: string): Promise<void>;
}

/** Adds an observer to file access: it is called before and after each write. Writes of the same file run one at a time. */
export function withWriteObserver(files: FileAccess, writeObserver: WriteObserver, writer: Writer): FileAccess {
  const writes = new KeyedQueue();
  return {
    resolve: (path) => files.resolve(path),
    readText: (path, options) => files.readText(path, options),
    writeText: async (path, text, options) => {
      const resolved = await files.resolve(path);
      return await writes.run(resolved, async () => {
        await writeObserver.beforeWrite(writer, resolved);
        const written = await files.writeText(path, text, options);
        await writeObserver.afterWrite(writer, resolved);
        return written;
      });
    },
  };
}
