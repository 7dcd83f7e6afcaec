import { stat } from 'node:fs/promises';
import { EditorError, type FileBytes } from '../common/editorPort';
import { defaultMaxBytes, diskVersion, readDisk, type DiskFile, type DiskRange } from './diskReader';
import type { CheckedPath, PathGuard } from './pathGuard';

/** Each makes it several times less likely that a file slips through which was swapped in and out again. */
const looks = 3;

interface CheckedFile extends DiskFile {
  readonly file: CheckedPath;
}

/**
 * Reads what a peer's path leads to, and only what was checked: between the check and the opening, any folder of the
 * path may have been swapped for a link, and back again before anybody looks. Where the system tells where an open file
 * is (Linux), nothing else is ever given. Elsewhere the path is checked again and has to lead to the file that was
 * opened, several times over, which leaves a swap that comes and goes in step with all of that.
 * @throws EditorError as `PathGuard.check` and `readDisk`, `io` for a file that was moved meanwhile,
 *   `cancelled`
 */
export async function readChecked(
  guard: PathGuard,
  requested: string,
  range?: DiskRange,
  signal?: AbortSignal,
): Promise<CheckedFile> {
  const file = await guard.check(requested);
  const read = await readDisk(file, range, signal);
  // Another file may have been given the name since the check.
  await guard.checkHardLinks(requested, read.info);
  const isDeleted = read.place === `${file.realPath} (deleted)`;
  if (!isDeleted && !(await isInPlace(guard, file, read))) {
    throw new EditorError('io', `${requested} was moved while it was read. Read it again.`);
  }
  return { ...read, file };
}

/** @throws EditorError as `readChecked` */
export async function readCheckedBytes(
  guard: PathGuard,
  requested: string,
  range: { offset?: number; limit?: number },
  signal?: AbortSignal,
): Promise<FileBytes> {
  const wanted = { limit: defaultMaxBytes, ...range, maxBytes: Infinity };
  const { file, bytes, info } = await readChecked(guard, requested, wanted, signal);
  return { path: file.path, bytes, size: Number(info.size), version: diskVersion(info) };
}

/** What is open. */
interface Opened {
  /** As Linux tells it; undefined where the system does not. */
  readonly place: string | undefined;
  readonly info: FileId;
}

interface FileId {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Whether an open file, or a folder above it, is at the path that was checked: `realPath` is that of the file, or of the folder.
 * @throws EditorError as `PathGuard.check`
 */
export async function isInPlace(
  guard: PathGuard,
  file: CheckedPath,
  { place, info }: Opened,
  realPath = file.realPath,
): Promise<boolean> {
  if (place === realPath) return true;
  // A file system that takes one case for the other (a Windows drive in WSL) may tell another spelling.
  if (place !== undefined && place.toLowerCase() !== realPath.toLowerCase()) return false;
  return await stillLeadsTo(guard, file, info, realPath);
}

/**
 * Whether a path that was checked before passes again, as the same one, and leads to the file that was opened: or, with
 * the `realPath` of a folder above it, whether that one is the folder that was opened.
 */
export async function stillLeadsTo(
  guard: PathGuard,
  file: CheckedPath,
  opened: FileId,
  realPath = file.realPath,
): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if ((await guard.check(file.path)).realPath !== file.realPath) return false;
    const now = await stat(realPath, { bigint: true }).catch(() => undefined);
    if (now?.dev !== opened.dev || now.ino !== opened.ino) return false;
  }
  return true;
}
