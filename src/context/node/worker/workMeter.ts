import { findProvidersToMove } from '../../common/workers/findProvidersToMove';

/** How many questions in a row must show that two workers are faster, because a few can be slow before V8 has optimized the code. */
const minQuestions = 10;

/**
 * Finds out whether the providers of a shared worker should be divided among two. Only counts the time of code that the worker
 * calls, and not of what providers do later, for example in timers.
 */
export class WorkMeter {
  private runMs = new Map<number, number>();
  /** The least time of each provider since two workers would have been faster, so that garbage collections do not count. */
  private leastMs = new Map<number, number>();
  private questionCount = 0;
  private excludedMs = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number) {}

  /** Runs code of a provider, and adds its time. */
  measure(provider: number, work: () => void): void {
    const startMs = this.now();
    this.excludedMs = 0;
    try {
      work();
    } finally {
      const ms = this.now() - startMs - this.excludedMs;
      this.runMs.set(provider, (this.runMs.get(provider) ?? 0) + ms);
    }
  }

  /** Runs code whose time is not that of the provider in whose code it is called. */
  exclude<T>(work: () => T): T {
    const startMs = this.now();
    try {
      return work();
    } finally {
      this.excludedMs += this.now() - startMs;
    }
  }

  /** Call when all requests are answered. @returns the providers that another worker should run */
  endQuestion(): number[] | undefined {
    const { runMs } = this;
    if (runMs.size === 0) return undefined;
    this.runMs = new Map();
    if (!findProvidersToMove(runMs)) {
      this.questionCount = 0;
      return undefined;
    }
    // For other files, other providers run.
    const areSameProviders =
      runMs.size === this.leastMs.size && [...runMs.keys()].every((each) => this.leastMs.has(each));
    this.questionCount = areSameProviders ? this.questionCount + 1 : 1;
    const least = this.questionCount === 1 ? runMs : this.leastMs;
    this.leastMs = new Map([...runMs].map(([provider, ms]) => [provider, Math.min(ms, least.get(provider) ?? ms)]));
    if (this.questionCount < minQuestions) return undefined;
    this.questionCount = 0;
    return findProvidersToMove(this.leastMs);
  }
}
