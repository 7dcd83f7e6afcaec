import { stat } from 'node:fs/promises';
import { EditorError, type FileBytes } from '../common/editorPort';
import { defaultMaxBytes, diskVersion, readDisk, type DiskReadResult, type ByteRange } from './diskReader';
import type { CheckedPath, PathGuard } from './pathGuard';

/**
 * Number of checks. A file can be swapped and swapped back between two checks; with several checks, this is unlikely to
 * remain undetected.
 */
const checkCount = 3;

interface CheckedFile extends DiskReadResult {
  readonly file: CheckedPath;
}

/**
 * Reads a file and verifies that the opened file is the checked one, because a folder of the path may be replaced by a
 * link between the check and the opening. On Linux, the path of the open file proves it. On other systems, the path is
 * checked several more times, which can miss a swap that is undone before each check.
 * @throws the same EditorErrors as `PathGuard.check` and `readDisk`; `io` if the file was moved in the meantime;
 * `cancelled`
 */
export async function readCheckedFile(
  guard: PathGuard,
  requested: string,
  range?: ByteRange,
  signal?: AbortSignal,
): Promise<CheckedFile> {
  const file = await guard.check(requested);
  const read = await readDisk(file, range, signal);
  const isDeleted = read.openPath === `${file.realPath} (deleted)`;
  if (!isDeleted && !(await isAtCheckedPath(guard, file, read))) {
    throw new EditorError('io', `${requested} was moved while it was read. Read it again.`);
  }
  return { ...read, file };
}

/** @throws the same EditorErrors as `readCheckedFile` */
export async function readCheckedBytes(
  guard: PathGuard,
  requested: string,
  range: { offset?: number; limit?: number },
  signal?: AbortSignal,
): Promise<FileBytes> {
  const wanted = { limit: defaultMaxBytes, ...range, maxBytes: Infinity };
  const { file, bytes, info } = await readCheckedFile(guard, requested, wanted, signal);
  return { path: file.path, bytes, fileSize: Number(info.size), version: diskVersion(info) };
}

interface OpenedFile {
  /** The path of the open file. Only Linux provides it. */
  readonly openPath: string | undefined;
  readonly info: FileId;
}

interface FileId {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Whether an open file or folder is at `realPath`, which is the checked path or one of its parent folders.
 * @throws the same EditorErrors as `PathGuard.check`
 */
export async function isAtCheckedPath(
  guard: PathGuard,
  file: CheckedPath,
  { openPath, info }: OpenedFile,
  realPath = file.realPath,
): Promise<boolean> {
  if (openPath === realPath) return true;
  // Case-insensitive file systems (a Windows drive in WSL) may report a different case.
  if (openPath !== undefined && openPath.toLowerCase() !== realPath.toLowerCase()) return false;
  return await stillResolvesTo(guard, file, info, realPath);
}

/** Checks the path again and compares the file or folder at `realPath` with the opened one. @throws EditorError */
export async function stillResolvesTo(
  guard: PathGuard,
  file: CheckedPath,
  opened: FileId,
  realPath = file.realPath,
): Promise<boolean> {
  for (let count = 0; count < checkCount; count++) {
    if ((await guard.check(file.path)).realPath !== file.realPath) return false;
    const now = await stat(realPath, { bigint: true }).catch(() => undefined);
    if (now?.dev !== opened.dev || now.ino !== opened.ino) return false;
  }
  return true;
}
