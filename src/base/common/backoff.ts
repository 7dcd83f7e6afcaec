export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** How long to wait after so many failures in a row, one at least: each doubles the wait, up to the longest. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * Between half and all of a wait, so that many who began to wait together do not come back together. `random` gives numbers
 * from 0 up to, not including, 1.
 */
export function jittered(delayMs: number, random: () => number): number {
  return Math.round(delayMs * (0.5 + random() / 2));
}
