import type { Checkpoint } from './checkpoint';

/** Limits for stored checkpoints. */
export interface CheckpointRetention {
  readonly maxAgeMs: number;
  /** Maximum size of the folder's store, in bytes. */
  readonly maxBytes: number;
}

/** Returns the checkpoints that are too old. A checkpoint with a date in the future is not too old. */
export function findOutdated(checkpoints: readonly Checkpoint[], nowMs: number, maxAgeMs: number): Checkpoint[] {
  return checkpoints.filter(({ at }) => nowMs - at > maxAgeMs);
}

/** Returns the oldest quarter of the checkpoints, at least one, oldest first. */
export function oldestQuarter(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  const oldestFirst = checkpoints.toSorted((a, b) => a.at - b.at);
  return oldestFirst.slice(0, Math.ceil(oldestFirst.length / 4));
}
