import type { Checkpoint } from './checkpoint';

/** Limits for stored checkpoints. */
export interface CheckpointLimits {
  readonly maxAgeMs: number;
  /** Maximum size of the folder's store, in bytes. */
  readonly maxBytes: number;
}

/** Minimum time for which the newest checkpoint of a series is kept: another window may still need it for its turn. */
const minNewestAgeMs = 7 * 24 * 60 * 60_000;

/**
 * Returns the ids of the newest checkpoint of each series. They stay however large the store is: a running turn is compared
 * with its checkpoint, and the last undo must be possible.
 */
export function newestOfSeries(checkpoints: readonly Checkpoint[]): ReadonlySet<string> {
  const newest = new Map<string | undefined, Checkpoint>();
  for (const checkpoint of checkpoints) {
    if (checkpoint.at >= (newest.get(checkpoint.series)?.at ?? -Infinity)) newest.set(checkpoint.series, checkpoint);
  }
  return new Set([...newest.values()].map(({ id }) => id));
}

/** Returns the checkpoints that are too old. A checkpoint with a date in the future is not too old. */
export function findOutdated(checkpoints: readonly Checkpoint[], nowMs: number, maxAgeMs: number): Checkpoint[] {
  const newest = newestOfSeries(checkpoints);
  return checkpoints.filter(
    ({ at, id }) => nowMs - at > (newest.has(id) ? Math.max(maxAgeMs, minNewestAgeMs) : maxAgeMs),
  );
}

/** Returns the oldest quarter of the checkpoints, at least one, oldest first. */
export function oldestQuarter(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  const oldestFirst = checkpoints.toSorted((a, b) => a.at - b.at);
  return oldestFirst.slice(0, Math.ceil(oldestFirst.length / 4));
}
