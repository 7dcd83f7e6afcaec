import { lighterHalf } from '../../common/workers/lighterHalf';

/** How many questions in a row must show that two workers are faster. The first ones take long because V8 has not optimized the code. */
const minQuestions = 10;

/** Finds out whether the providers of a shared worker should be divided among two. */
export class WorkMeter {
  private runMs = new Map<number, number>();
  /** The least time of each provider since two workers would have been faster, so that garbage collections do not count. */
  private leastMs = new Map<number, number>();
  private questionCount = 0;

  /** Adds time for which code of a provider ran, in milliseconds. */
  add(provider: number, ms: number): void {
    this.runMs.set(provider, (this.runMs.get(provider) ?? 0) + ms);
  }

  /** Call when the answers to a question are posted. @returns the providers that another worker should run */
  endQuestion(): number[] | undefined {
    const { runMs } = this;
    this.runMs = new Map();
    if (!lighterHalf(runMs)) {
      this.questionCount = 0;
      return undefined;
    }
    if (this.questionCount++ === 0) this.leastMs = runMs;
    for (const [provider, ms] of runMs)
      this.leastMs.set(provider, Math.min(ms, this.leastMs.get(provider) ?? Infinity));
    if (this.questionCount < minQuestions) return undefined;
    this.questionCount = 0;
    return lighterHalf(this.leastMs);
  }
}
