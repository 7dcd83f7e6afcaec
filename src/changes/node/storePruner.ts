import { copyFile, lstat, readdir, rm } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { oldestQuarter, findOutdated, type CheckpointRetention } from '../common/retention';
import type { PreparedRepository } from './checkpointRepositoryProvider';
import type { PrivateRepository } from './git/privateRepository';

export interface PruneResult {
  /** Ids of the removed checkpoints. */
  readonly dropped: readonly string[];
  /** Size of everything that remains in the store. */
  readonly bytes: number;
}

/** Maximum number of single objects or packs. If there are more, Git combines them into one pack. */
const mostLoose = 2_000;
const mostPacks = 20;

/**
 * Removes checkpoints that are too old or exceed the size limit, then removes objects that no checkpoint needs.
 * `storage` is the folder of the whole store.
 */
export async function pruneStore(
  { repository, records }: PreparedRepository,
  storage: string,
  { maxAgeMs, maxBytes }: CheckpointRetention,
  clock: Clock,
  signal: AbortSignal,
): Promise<PruneResult> {
  const dropped: string[] = [];
  let left = await records.list(signal);
  const drop = async (ids: readonly string[]): Promise<void> => {
    await records.drop(ids, signal);
    left = left.filter(({ id }) => !ids.includes(id));
    dropped.push(...ids);
  };
  await copyUserTrees(repository, signal);
  await drop(findOutdated(left, clock.now(), maxAgeMs).map(({ id }) => id));
  // Objects that are written after this time are kept, including those of another window.
  const before = await repository.readFileSystemTime();
  await removeUnneeded(repository, before, signal);
  await packIfNeeded(repository, signal);
  let bytes = await bytesIn(storage);
  while (bytes > maxBytes && left.length > 0) {
    await drop(oldestQuarter(left).map(({ id }) => id));
    await repack(repository, signal);
    await removeUnneeded(repository, before, signal);
    bytes = await bytesIn(storage);
  }
  if (bytes > maxBytes) {
    // Only the index refers to so many objects, so it is removed. The next scan creates it again from the folder.
    await rm(repository.index, { force: true });
    await repack(repository, signal);
    await removeUnneeded(repository, before, signal);
    bytes = await bytesIn(storage);
  }
  return { dropped, bytes };
}

/** Copies trees that only the user's repository has, because Git may remove them there. */
async function copyUserTrees(repository: PrivateRepository, signal: AbortSignal): Promise<void> {
  const index = `${repository.index}-kept-${process.pid}`;
  const isThere = await copyFile(repository.index, index).then(
    () => true,
    () => false,
  );
  try {
    if (isThere) await repository.run({ args: ['write-tree', '--missing-ok'], index, signal });
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function removeUnneeded(repository: PrivateRepository, beforeMs: number, signal: AbortSignal): Promise<void> {
  const args = ['prune', `--expire=${Math.floor(beforeMs / 1_000)}`];
  await repository.run({ args, withUserObjects: true, signal });
}

async function packIfNeeded(repository: PrivateRepository, signal: AbortSignal): Promise<void> {
  const counts = await repository.runForText({ args: ['count-objects', '-v'], signal });
  const countOf = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counts)?.[1] ?? 0);
  if (countOf('count') > mostLoose || countOf('packs') > mostPacks) await repack(repository, signal);
}

/** Combines objects into one pack and removes old packs. `-l`: the user's objects are not copied. */
async function repack(repository: PrivateRepository, signal: AbortSignal): Promise<void> {
  if (await hasOtherWriter(repository)) return;
  await repository.run({ args: ['repack', '-a', '-d', '-l', '-q'], withUserObjects: true, signal });
}

/** Whether another window is taking a checkpoint. Nothing refers to its objects yet. */
async function hasOtherWriter({ index, place }: PrivateRepository): Promise<boolean> {
  const names = await readdir(place.gitDir);
  return names.some((name) => name.startsWith(`${path.basename(index)}-`));
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    bytes += (await lstat(path.join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
