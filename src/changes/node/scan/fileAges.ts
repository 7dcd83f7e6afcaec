import { lstat } from 'node:fs/promises';
import * as path from 'node:path';
import { mapConcurrently } from './fileStatus';

/**
 * Whether the file system tells when a file was made. On macOS, a program that sets an earlier modification time also
 * changes the birth time.
 */
export type BirthTimes = 'reliable' | 'unreliable';

/**
 * Returns the files that existed before this time: they were made before, or nothing in them has changed since. A copy
 * with the times of its original is new, because its birth and change times are its own. A file whose name has changed
 * since is as old as before.
 */
export async function findOlderFiles(
  folder: string,
  names: readonly string[],
  timeMs: number,
  birthTimes: BirthTimes,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await mapConcurrently(
    names,
    async (name) => {
      const info = await lstat(path.join(folder, name)).catch(() => undefined);
      if (!info) return [];
      // Without birth times, Node.js gives the start of the epoch or the change time.
      const isBornBefore = birthTimes === 'reliable' && info.birthtimeMs > 0 && info.birthtimeMs < timeMs;
      return isBornBefore || info.ctimeMs < timeMs ? [name] : [];
    },
    signal,
  );
  return found.flat();
}
