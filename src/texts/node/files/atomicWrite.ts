import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

export const temporarySuffix = '.tmp';

/** Writes contents to a file one after another. Readers see the old or the whole new file. @throws Error of Node.js */
export function writeFileAtomically(file: string, ...contents: readonly (string | Buffer)[]): void {
  const temporary = `${file}.${randomUUID()}${temporarySuffix}`;
  try {
    const handle = openSync(temporary, 'wx', 0o600);
    try {
      for (const content of contents) writeFileSync(handle, content);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
