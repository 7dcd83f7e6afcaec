import type { Checkpoint } from './checkpoint';

/** How much is kept. */
export interface Retention {
  readonly maxAgeMs: number;
  /** Of all that is stored for the folder. */
  readonly maxBytes: number;
}

/** Those that are too old. One from the future, as a clock that was set back makes it, is not. */
export function outdated(checkpoints: readonly Checkpoint[], nowMs: number, maxAgeMs: number): Checkpoint[] {
  return checkpoints.filter(({ at }) => nowMs - at > maxAgeMs);
}

/** Those that go next when there is too much: the oldest quarter, one at least, the oldest first. */
export function nextToGo(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  const oldestFirst = checkpoints.toSorted((a, b) => a.at - b.at);
  return oldestFirst.slice(0, Math.ceil(oldestFirst.length / 4));
}
