import type { EditorPort } from './editorPort';

/** What whoever only reads and writes files needs of the editor. */
export type FileAccess = Pick<EditorPort, 'resolve' | 'readText' | 'writeText'>;

/** Who writes: a session of a backend. */
export interface Writer {
  readonly backendId: string;
  readonly sessionId: string;
}

/** Sees files before they are written, so that what was there can be shown and brought back. */
export interface WriteWitness {
  /** `path` is resolved; the file need not exist. The write waits for this, so it is quick. Never rejects. */
  beforeWrite(writer: Writer, path: string): Promise<void>;
}

/** The same access, but `witness` sees each file before it is written. */
export function witnessed(files: FileAccess, witness: WriteWitness, writer: Writer): FileAccess {
  return {
    resolve: (path) => files.resolve(path),
    readText: (path, options) => files.readText(path, options),
    writeText: async (path, text, options) => {
      await witness.beforeWrite(writer, await files.resolve(path));
      return await files.writeText(path, text, options);
    },
  };
}
