import type { SessionStatus } from '../api/apiSchema';
import { setTimer, update, type Step } from './sessionStep';

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

/** Whatever waits and was not told yet began after this moment. */
export function noneBefore(step: Step, timeMs: number): void {
  if (Number.isNaN(timeMs)) return;
  const { age } = step.state;
  update(step, { age: { ...age, noneBeforeMs: Math.max(timeMs, age.noneBeforeMs ?? timeMs) } });
}

/** Something came over the stream. It is the newest there is once nothing follows it. */
export function heardStream(step: Step): void {
  const { timeMs } = step.at;
  update(step, { age: { ...step.state.age, heardAtMs: timeMs } });
  if (step.state.age.quietDueMs === undefined) awaitQuiet(step, quietMs);
}

export function lookForQuiet(step: Step): void {
  const { timeMs } = step.at;
  const { heardAtMs, quietDueMs = timeMs } = step.state.age;
  const quietForMs = timeMs - heardAtMs;
  // After sleep the timer is late, and what came meanwhile is not read yet.
  if (timeMs - quietDueMs > quietMs) awaitQuiet(step, quietMs);
  else if (quietForMs < quietMs) awaitQuiet(step, quietMs - quietForMs);
  else {
    update(step, { age: { ...step.state.age, quietDueMs: undefined } });
    noneBefore(step, heardAtMs);
  }
}

/**
 * Milliseconds, at most; undefined when nobody knows. A request can reach its reader late: after sleep, from the backlog of a
 * new connection, by replay. It is no older than the last moment of which it is known that the server had nothing to ask, or
 * that all it had said was read. `timestamp` is the request's own time, where it has one.
 */
export function ageOfRequest({ state, at }: Step, timestamp: unknown): number | undefined {
  const ages = [typeof timestamp === 'string' ? Date.parse(timestamp) : NaN, state.age.noneBeforeMs ?? NaN]
    .map((sinceMs) => at.timeMs - sinceMs)
    .filter((ageMs) => ageMs >= -clockSlackMs);
  return ages.length === 0 ? undefined : Math.max(0, Math.min(...ages));
}

/** The age of a request of the status, which began with the session's last activity where it does not say. */
export function ageOfPending(
  step: Step,
  { pending_approval: pending, last_activity }: SessionStatus,
): number | undefined {
  const known = pending === 'unreadable' ? undefined : ageOfRequest(step, pending?.['timestamp']);
  const sinceMs = Date.parse(last_activity ?? '');
  return known ?? (Number.isNaN(sinceMs) ? undefined : Math.max(0, step.at.timeMs - sinceMs));
}

function awaitQuiet(step: Step, delayMs: number): void {
  update(step, { age: { ...step.state.age, quietDueMs: step.at.timeMs + delayMs } });
  setTimer(step, 'quiet', delayMs);
}
