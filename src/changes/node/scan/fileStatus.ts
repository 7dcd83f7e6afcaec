import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { access, constants, lstat, open, readlink, type FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import { openFlags } from '../../../base/node/openFlags';
import type { FileKind, FileState } from '../../common/checkpoint';
import type { CurrentFileState } from '../../common/workspaceCheckpoints';

export type FileStatus =
  | { readonly kind: 'file' | 'symlink'; readonly path: string; readonly bytes: number }
  | { readonly kind: 'missing' | 'special' | 'unreadable'; readonly path: string };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = openFlags;
const maxConcurrent = 32;
const chunkBytes = 256 * 1024;

/** Calls `work` for all items with limited concurrency. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      const at = next++;
      const item = items[at];
      if (item === undefined || at >= items.length) return;
      signal?.throwIfAborted();
      results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, lane));
  return results;
}

/** Reads the state of a path inside the folder. A symbolic link is not followed. */
export async function readFileStatus(folder: string, name: string): Promise<FileStatus> {
  try {
    const file = path.join(folder, name);
    const info = await lstat(file);
    if (info.isSymbolicLink()) return { kind: 'symlink', path: name, bytes: info.size };
    // A parent folder has been replaced by a file, so this file no longer exists.
    if (info.isDirectory()) return { kind: 'missing', path: name };
    if (!info.isFile()) return { kind: 'special', path: name };
    await access(file, constants.R_OK);
    return { kind: 'file', path: name, bytes: info.size };
  } catch (error) {
    const code = errorCode(error);
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', path: name };
  }
}

/** Whether the path exists and no parent is a symbolic link. A trailing `/` stands for a folder. */
export async function existsInFolder(folder: string, name: string): Promise<boolean> {
  try {
    const plain = name.replace(/\/$/, '');
    if (await isBehindLink(folder, plain)) return false;
    return (await lstat(path.join(folder, plain))).isDirectory() === name.endsWith('/');
  } catch (error) {
    return errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR';
  }
}

async function isBehindLink(folder: string, name: string): Promise<boolean> {
  const parents = name.split('/').slice(0, -1);
  let place = folder;
  for (const parent of parents) {
    place = path.join(place, parent);
    if ((await lstat(place)).isSymbolicLink()) return true;
  }
  return false;
}

/** Returns the current state of a file: `other` if it can't be in a checkpoint, undefined if nothing exists. */
export async function hashFileState(
  file: string,
  format: 'sha1' | 'sha256',
  tellsExecutable: boolean,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<CurrentFileState> {
  let info: BigIntStats;
  try {
    info = await lstat(file, { bigint: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  if (info.isSymbolicLink()) return stateOf('symlink', await readlink(file, { encoding: 'buffer' }), format);
  if (!info.isFile() || info.size > BigInt(maxBytes)) return 'other';
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const kind = tellsExecutable && (info.mode & 0o100n) !== 0n ? 'executable' : 'file';
    return { kind, ...(await hashOf(handle, Number(info.size), format)) };
  } finally {
    await handle.close();
  }
}

/** Calculates Git's object id of a file. If its size changes in the meantime, the id does not match any checkpoint. */
async function hashOf(
  handle: FileHandle,
  size: number,
  format: 'sha1' | 'sha256',
): Promise<Pick<FileState, 'object' | 'bytes'>> {
  const hash = createHash(format).update(`blob ${size}\0`);
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 1), chunkBytes));
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return { object: hash.digest('hex'), bytes };
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
}

function stateOf(kind: FileKind, content: Buffer, format: 'sha1' | 'sha256'): FileState {
  const hash = createHash(format).update(`blob ${content.length}\0`).update(content);
  return { kind, object: hash.digest('hex'), bytes: content.length };
}
