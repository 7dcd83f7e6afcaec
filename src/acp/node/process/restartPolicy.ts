import { backoffMs, addJitter } from '../../../base/common/backoff';

const defaultRestartRules = {
  delay: { firstMs: 500, maxMs: 30_000 },
  /** After this many crashes within the window, the agent is not restarted automatically. */
  maxCrashes: 5,
  windowMs: 3 * 60_000,
};

export type RestartDecision = { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'giveUp' };

/** Decides when to restart a crashed agent: with growing delay, until it crashes too often. Owns no timer. */
export class RestartPolicy {
  /** Times of the crashes within the window, oldest first. */
  private crashTimesMs: number[] = [];

  /** `random` returns numbers in [0, 1): jitter keeps agents that crashed together from restarting together. */
  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly restartRules = defaultRestartRules,
  ) {}

  /** Call once per crash. The delay is 50 to 100 % of a value that doubles with each crash in the window. */
  recordCrash(): RestartDecision {
    const { delay, maxCrashes, windowMs } = this.restartRules;
    const nowMs = this.now();
    this.crashTimesMs = [...this.crashTimesMs.filter((timeMs) => nowMs - timeMs < windowMs), nowMs];
    if (this.crashTimesMs.length >= maxCrashes) return { kind: 'giveUp' };
    return { kind: 'restart', delayMs: addJitter(backoffMs(delay, this.crashTimesMs.length), this.random) };
  }

  /** Forgets earlier crashes, because the user asked for a start. */
  reset(): void {
    this.crashTimesMs = [];
  }
}
