export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The delay after `failures` consecutive failures (at least 1). Each failure doubles it, up to `maxMs`. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/** Returns a delay from half of `delayMs` to `delayMs`, so that clients do not retry together. `random`: [0, 1). */
export function addJitter(delayMs: number, random: () => number): number {
  return Math.round(delayMs * (0.5 + random() / 2));
}
