import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

export const temporarySuffix = '.tmp';

/** Readers see the old file or the new one, never a part. @throws Error of Node.js; nothing is left behind */
export function writeWholeFile(file: string, content: string | Buffer): void {
  const temporary = `${file}.${randomUUID()}${temporarySuffix}`;
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
