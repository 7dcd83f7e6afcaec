import { KeyedQueue } from '../../base/common/async';
import type { EditorPort } from './editorPort';

export type FileAccess = Pick<EditorPort, 'resolve' | 'readText' | 'writeText'>;

/** The session that writes a file. */
export interface WriterSession {
  readonly backendId: string;
  readonly sessionId: string;
}

/** Observes writes, so that the previous contents can be shown and restored. */
export interface WriteObserver {
  /** `path` is resolved; the file may not exist. The write waits for the result. Never rejects. */
  beforeWrite(writer: WriterSession, path: string): Promise<void>;
  /** Called after a successful write. Never rejects. */
  afterWrite(writer: WriterSession, path: string): Promise<void>;
}

/** Calls the observer around each write. Writes of the same file run one at a time. */
export function withWriteObserver(files: FileAccess, writeObserver: WriteObserver, writer: WriterSession): FileAccess {
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
