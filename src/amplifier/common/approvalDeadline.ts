import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** Servers that say nothing wait this long. */
const defaultTimeoutSeconds = 300;
/** For an answer to a request of which nobody knows how long it has been waiting. */
const unknownAgeMs = 10_000;
/** A stream that brought nothing for this long has brought all that there was. */
const quietMs = 250;
/** Clocks of one machine do not agree to the millisecond. */
const clockSlackMs = 1000;

/**
 * Seconds, down to a tenth, in which the user may answer: what is left of the server's time-out, less a margin for the denial
 * to arrive (a tenth of the time-out, within one and fifteen seconds). Never negative.
 */
export function secondsToAnswer(timeoutSeconds: number | undefined, ageMs: number | undefined): number {
  const timeoutMs = Math.max(0, timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const usableMs = timeoutMs - Math.min(15_000, Math.max(1000, timeoutMs / 10));
  const leftMs = ageMs === undefined ? Math.min(usableMs, unknownAgeMs) : usableMs - ageMs;
  return Math.max(0, Math.floor(leftMs / 100) / 10);
}

/**
 * How old a request can be that is told now. A request can reach its reader late: after sleep, from the backlog of a new
 * connection, by replay. It is no older than the last moment of which it is known that the server had nothing to ask, or that
 * all it had said was read.
 */
export class ApprovalAge implements Disposable {
  private knownAtMs: number | undefined;
  private heardAtMs = 0;
  private quiet: Disposable | undefined;

  constructor(private readonly clock: Clock) {}

  /** Whatever waits and was not told yet began after this moment. */
  noneBefore(timeMs: number): void {
    if (!Number.isNaN(timeMs)) this.knownAtMs = Math.max(timeMs, this.knownAtMs ?? timeMs);
  }

  /** Something came over the stream. It is the newest there is once nothing follows it. */
  heard(): void {
    this.heardAtMs = this.clock.now();
    this.quiet ??= this.awaitQuiet(quietMs);
  }

  /** Milliseconds, at most; undefined when nobody knows. `timestamp` is the request's own time, where it has one. */
  ofRequest(timestamp: unknown): number | undefined {
    const nowMs = this.clock.now();
    const ages = [typeof timestamp === 'string' ? Date.parse(timestamp) : NaN, this.knownAtMs ?? NaN]
      .map((sinceMs) => nowMs - sinceMs)
      .filter((ageMs) => ageMs >= -clockSlackMs);
    return ages.length === 0 ? undefined : Math.max(0, Math.min(...ages));
  }

  dispose(): void {
    this.quiet?.dispose();
  }

  private awaitQuiet(delayMs: number): Disposable {
    const dueMs = this.clock.now() + delayMs;
    return this.clock.setTimer(delayMs, () => {
      this.quiet = undefined;
      const nowMs = this.clock.now();
      const quietForMs = nowMs - this.heardAtMs;
      // After sleep the timer is late, and what came meanwhile is not read yet.
      if (nowMs - dueMs > quietMs) this.quiet = this.awaitQuiet(quietMs);
      else if (quietForMs >= quietMs) this.noneBefore(this.heardAtMs);
      else this.quiet = this.awaitQuiet(quietMs - quietForMs);
    });
  }
}
