import { backoffMs, addJitter } from '../../../base/common/backoff';

const defaultRestartRules = {
  delay: { firstMs: 500, maxMs: 30_000 },
  /** After this number of crashes within `windowMs`, the agent is not restarted automatically. */
  maxCrashes: 5,
  windowMs: 3 * 60_000,
};

/** A remote agent may be unavailable for a long time. Each prompt tries again after a short delay. */
export const reconnectRules: typeof defaultRestartRules = {
  delay: { firstMs: 250, maxMs: 4_000 },
  maxCrashes: Number.POSITIVE_INFINITY,
  windowMs: 60_000,
};

export type RestartDecision = { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'giveUp' };

/**
 * Decides when to restart a crashed agent. The delay grows with each crash; after too many crashes, there are no more
 * restarts. Starts no timers itself.
 */
export class RestartPolicy {
  /** Times of the crashes in the last `windowMs`, in milliseconds of the monotonic clock, oldest first. */
  private crashTimesMs: number[] = [];

  /**
   * `random` returns numbers in [0, 1). Random delays prevent agents that crashed together from restarting together.
   */
  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly restartRules = defaultRestartRules,
  ) {}

  /** Call once per crash. The delay is 50 to 100 % of a value that doubles with each recent crash. */
  recordCrash(): RestartDecision {
    const { delay, maxCrashes, windowMs } = this.restartRules;
    const nowMs = this.now();
    this.crashTimesMs = [...this.crashTimesMs.filter((timeMs) => nowMs - timeMs < windowMs), nowMs];
    if (this.crashTimesMs.length >= maxCrashes) return { kind: 'giveUp' };
    return { kind: 'restart', delayMs: addJitter(backoffMs(delay, this.crashTimesMs.length), this.random) };
  }

  /** Resets the crash count, because the user requested a start. */
  reset(): void {
    this.crashTimesMs = [];
  }
}
