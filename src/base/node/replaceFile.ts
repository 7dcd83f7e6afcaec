import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

/** A temporary file that has not changed for so long was left by a process that was killed. */
const leftoverAgeMs = 10 * 60_000;

interface ReplaceOptions {
  /** Puts the temporary file in the place of the file. By default, renames it. */
  readonly publish?: (temporary: string, file: string) => Promise<void>;
  readonly nowMs?: number;
}

/**
 * Replaces a file atomically, or creates it in a folder that exists. `write` creates the temporary file at the absolute path that it
 * is given. Removes temporary files of the same file that killed processes have left. @throws errors of Node.js or of `write`; the
 * old file is then unchanged
 */
export async function replaceFileBy(
  file: string,
  write: (temporary: string) => Promise<void>,
  { publish = rename, nowMs = Date.now() }: ReplaceOptions = {},
): Promise<void> {
  await removeLeftovers(file, nowMs);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await write(temporary);
    await publish(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Like `replaceFileBy`. Only the user can read the file, and it is on the disk when this resolves. */
export async function replaceFile(file: string, contents: string | Uint8Array): Promise<void> {
  await replaceFileBy(file, (temporary) => writeFile(temporary, contents, { flag: 'wx', mode: 0o600, flush: true }));
}

/** Also removes those of earlier versions, which had the id of the process in the name. Never rejects. */
async function removeLeftovers(file: string, nowMs: number): Promise<void> {
  const [folder, start] = [path.dirname(file), `${path.basename(file)}.`];
  const isTemporary = (name: string): boolean =>
    name.startsWith(start) && /^(?:[0-9a-f]{12}|\d+)\.tmp$/.test(name.slice(start.length));
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isTemporary)) {
    const leftover = path.join(folder, name);
    const info = await stat(leftover).catch(() => undefined);
    // A copy can have the modification time of its original. The next call tries it again if it fails.
    if (info && nowMs - info.ctimeMs > leftoverAgeMs) await rm(leftover, { force: true }).catch(() => undefined);
  }
}
