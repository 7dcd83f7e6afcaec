import { backoffMs, jittered } from '../../../base/common/backoff';

const defaultRestartRules = {
  delay: { firstMs: 500, maxMs: 30_000 },
  /** This many crashes within the window, and the agent is not started again by itself. */
  maxCrashes: 5,
  windowMs: 3 * 60_000,
};

export type RestartDecision = { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'giveUp' };

/** Says when to start a crashed agent again: later with each crash, until it crashes too often. Owns no timer. */
export class RestartPolicy {
  /** When each came, oldest first; only those within the window. */
  private crashes: number[] = [];

  /** `random` gives numbers from 0 up to, not including, 1: agents that fell together must not rise together. */
  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly rules = defaultRestartRules,
  ) {}

  /** Call once for each crash. The delay is between half and all of what has doubled with each crash in the window. */
  crashed(): RestartDecision {
    const { delay, maxCrashes, windowMs } = this.rules;
    const nowMs = this.now();
    this.crashes = [...this.crashes.filter((timeMs) => nowMs - timeMs < windowMs), nowMs];
    if (this.crashes.length >= maxCrashes) return { kind: 'giveUp' };
    return { kind: 'restart', delayMs: jittered(backoffMs(delay, this.crashes.length), this.random) };
  }

  /** The user asked for a start: what happened before does not count any more. */
  reset(): void {
    this.crashes = [];
  }
}
