import { lstat } from 'node:fs/promises';
import * as path from 'node:path';
import { mapConcurrently } from './fileStatus';

/** How the file system tells the ages of files. */
export interface FileTimes {
  /** Whether a birth time is the time when the file was made. On macOS, a program that sets an earlier modification time changes it. */
  readonly births: 'reliable' | 'unreliable';
  /** Returns the times of the file or link, in milliseconds of the system's clock. Undefined if it does not exist. */
  readonly read: (path: string) => Promise<{ readonly birthtimeMs: number; readonly ctimeMs: number } | undefined>;
}

export function systemFileTimes(births: FileTimes['births']): FileTimes {
  return { births, read: (file) => lstat(file).catch(() => undefined) };
}

/**
 * Returns the files that existed before this time: they were made before, or nothing in them has changed since. A copy
 * with the times of its original is new, because its birth and change times are its own. A file whose name has changed
 * since is as old as before.
 */
export async function findOlderFiles(
  folder: string,
  names: readonly string[],
  timeMs: number,
  times: FileTimes,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await mapConcurrently(
    names,
    async (name) => {
      const info = await times.read(path.join(folder, name));
      if (!info) return [];
      // Without birth times, Node.js gives the start of the epoch or the change time.
      const isBornBefore = times.births === 'reliable' && info.birthtimeMs > 0 && info.birthtimeMs < timeMs;
      return isBornBefore || info.ctimeMs < timeMs ? [name] : [];
    },
    signal,
  );
  return found.flat();
}
