import { randomUUID } from 'node:crypto';
import { copyFile, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { cancelledError } from '../common/checkpointError';
import { joinNul } from '../common/nameList';
import { findOutdated, newestOfSeries, oldestQuarter, type CheckpointLimits } from '../common/retention';
import type { PreparedRepository } from './checkpointRepositoryProvider';
import { copyIndex, setIndexTime } from './git/indexFile';
import type { PrivateRepository } from './git/privateRepository';

export interface PruneResult {
  /** Ids of the removed checkpoints. */
  readonly dropped: readonly string[];
  /** Size of everything that remains in the store. Larger than the limit if the checkpoints that are kept need that. */
  readonly bytes: number;
}

interface PruneOrder {
  /** The folder of the whole store. */
  readonly storage: string;
  /** Ids of checkpoints that are never removed. */
  readonly inUse: ReadonlySet<string>;
  readonly retention: CheckpointLimits;
}

/** Maximum number of single objects or packs. If there are more, Git combines them into one pack. */
const mostLoose = 2_000;
const mostPacks = 20;
/** Age from which the temporary index of another window is that of a killed process. */
const leftoverAgeMs = 10 * 60_000;

/**
 * Removes checkpoints that are too old or exceed the size limit, then removes objects that no checkpoint needs. The newest
 * checkpoint of each series is kept even if the store stays too large. @throws CheckpointError `cancelled` if the store is
 * too large, but another window is writing to it
 */
export async function pruneStore(
  open: PreparedRepository,
  { inUse, retention: { maxAgeMs, maxBytes }, storage }: PruneOrder,
  clock: Clock,
  signal: AbortSignal,
): Promise<PruneResult> {
  const { repository, records } = open;
  const dropped: string[] = [];
  let left = await records.list(signal);
  const drop = async (ids: readonly string[]): Promise<void> => {
    await records.drop(ids, signal);
    left = left.filter(({ id }) => !ids.includes(id));
    dropped.push(...ids);
  };
  await copyUserTrees(repository, signal);
  await drop(findOutdated(left, clock.now(), maxAgeMs).flatMap(({ id }) => (inUse.has(id) ? [] : [id])));
  // Objects that are written after this time are kept, including those of another window.
  const before = await repository.readFileSystemTime();
  const shrink = async (): Promise<number> => {
    // Nothing would become smaller, so removing more checkpoints would be of no use.
    if (!(await repack(repository, signal))) throw cancelledError();
    await removeUnneeded(repository, before, signal);
    return await bytesIn(storage);
  };
  await removeUnneeded(repository, before, signal);
  await packIfNeeded(repository, signal);
  let bytes = await bytesIn(storage);
  if (bytes > maxBytes) {
    const kept = newestOfSeries(left);
    const removable = (): typeof left => left.filter(({ id }) => !kept.has(id) && !inUse.has(id));
    // First, what no checkpoint needs any more.
    bytes = await shrink();
    while (bytes > maxBytes && removable().length > 0) {
      await drop(oldestQuarter(removable()).map(({ id }) => id));
      bytes = await shrink();
    }
  }
  if (bytes > maxBytes) {
    await limitIndexTo(open, left.at(-1)?.id, signal);
    bytes = await shrink();
  }
  return { dropped, bytes };
}

/**
 * Removes the files from the index that the newest checkpoint does not contain as they are there. The next scan reads them
 * again.
 */
async function limitIndexTo(
  { reader, repository }: PreparedRepository,
  newest: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { index } = repository;
  if (newest === undefined) {
    await rm(index, { force: true });
    return;
  }
  const info = await stat(index).catch(() => undefined);
  if (!info) return;
  const stored = await reader.listObjects(newest, signal);
  const items = await repository.runForItems({ args: ['ls-files', '-z', '--stage'], index, signal });
  const unknown = items.flatMap((item) => {
    const [, object = '', name = ''] = /^\d+ ([0-9a-f]+) \d\t([^]*)$/.exec(item) ?? [];
    return stored.get(name) === object ? [] : [name];
  });
  if (unknown.length === 0) return;
  const copy = `${index}-${randomUUID()}`;
  try {
    await copyIndex(index, copy);
    const args = ['update-index', '-z', '--force-remove', '--stdin'];
    await repository.run({ args, index: copy, input: joinNul(unknown), signal });
    if (await setIndexTime(copy, info.mtimeMs)) await rename(copy, index);
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}.lock`, { force: true });
  }
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

/**
 * Combines objects into one pack and removes old packs. `-l`: the user's objects are not copied. Returns false if another
 * window is writing, so that nothing was done.
 */
async function repack(repository: PrivateRepository, signal: AbortSignal): Promise<boolean> {
  if (await hasOtherWriter(repository)) return false;
  await repository.run({ args: ['repack', '-a', '-d', '-l', '-q'], withUserObjects: true, signal });
  return true;
}

/** Whether another window is taking a checkpoint. Nothing refers to its objects yet. */
async function hasOtherWriter(repository: PrivateRepository): Promise<boolean> {
  const { index, place } = repository;
  const names = (await readdir(place.gitDir)).filter((name) => name.startsWith(`${path.basename(index)}-`));
  if (names.length === 0) return false;
  const nowMs = await repository.readFileSystemTime();
  const infos = await Promise.all(names.map((name) => stat(path.join(place.gitDir, name)).catch(() => undefined)));
  return infos.some((info) => info !== undefined && nowMs - info.ctimeMs < leftoverAgeMs);
}

/** Returns the size of all files below a folder, in bytes. Never rejects. */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    bytes += (await lstat(path.join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
