import { KeyedQueue } from '../../base/common/async';
import type { EditorPort } from './editorPort';

/** What whoever only reads and writes files needs of the editor. */
export type FileAccess = Pick<EditorPort, 'resolve' | 'readText' | 'writeText'>;

/** Who writes: a session of a backend. */
export interface Writer {
  readonly backendId: string;
  readonly sessionId: string;
}

/** Sees files before and after they are written, so that what was there can be shown and brought back. */
export interface WriteWitness {
  /** `path` is resolved; the file need not exist. The write waits for this, so it is quick. Never rejects. */
  beforeWrite(writer: Writer, path: string): Promise<void>;
  /** The write that was told before has been done; nothing is told of one that failed. Never rejects. */
  afterWrite(writer: Writer, path: string): Promise<void>;
}

/** The same access, but `witness` sees each file before and after it is written, one write of a file at a time. */
export function witnessed(files: FileAccess, witness: WriteWitness, writer: Writer): FileAccess {
  const writes = new KeyedQueue();
  return {
    resolve: (path) => files.resolve(path),
    readText: (path, options) => files.readText(path, options),
    writeText: async (path, text, options) => {
      const resolved = await files.resolve(path);
      return await writes.run(resolved, async () => {
        await witness.beforeWrite(writer, resolved);
        const written = await files.writeText(path, text, options);
        await witness.afterWrite(writer, resolved);
        return written;
      });
    },
  };
}
