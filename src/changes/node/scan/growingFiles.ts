import { lstat } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { mapConcurrently, type FileStatus } from './fileStatus';

/** Maximum size of a file that is read again if it changes while it is read, in bytes. */
export const smallFileBytes = 1024 * 1024;
/** Pause after which a large file is looked at again that was written a moment ago. */
const stillnessMs = 100;

/** Returns large files that are being written: they were changed a moment ago, and again after a short pause. */
export async function findGrowing(
  folder: string,
  files: readonly (FileStatus & { readonly bytes: number })[],
  startMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const versionOf = async (name: string): Promise<{ readonly mtimeMs: number; readonly size: number } | undefined> =>
    lstat(path.join(folder, name)).catch(() => undefined);
  const large = files.filter(({ bytes }) => bytes > smallFileBytes);
  const seen = await mapConcurrently(large, async (file) => ({ file, before: await versionOf(file.path) }), signal);
  const recent = seen.filter(({ before }) => before !== undefined && before.mtimeMs >= startMs);
  if (recent.length === 0) return [];
  await setTimeout(stillnessMs);
  signal.throwIfAborted();
  const found = await mapConcurrently(recent, async ({ before, file }) => {
    const now = await versionOf(file.path);
    return now !== undefined && (now.mtimeMs !== before?.mtimeMs || now.size !== file.bytes) ? [file.path] : [];
  });
  return found.flat();
}
