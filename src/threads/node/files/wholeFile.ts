import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

export const temporarySuffix = '.tmp';

/**
 * Readers see the old file or the new one, never a part. The contents follow each other in it.
 * @throws Error of Node.js; nothing is left behind
 */
export function writeWholeFile(file: string, ...contents: readonly (string | Buffer)[]): void {
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
