import type { SessionStatus } from '../api/apiSchema';
import { setTimer, updateState, type ReducerStep } from './reducerStep';

const defaultTimeoutSeconds = 300;
const unknownAgeMs = 10_000;
/** How long the stream must be silent until all earlier events count as received. */
const quietMs = 250;
const clockSlackMs = 1000;

/**
 * Returns the time that the user has to answer, in seconds (rounded down to tenths, never negative). This is the
 * remaining part of the server's time-out, minus a reserve for sending a denial. The reserve is a tenth of the
 * time-out, but at least 1 and at most 15 seconds.
 */
export function secondsToAnswer(timeoutSeconds: number | undefined, ageMs: number | undefined): number {
  const timeoutMs = Math.max(0, timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const usableMs = timeoutMs - Math.min(15_000, Math.max(1000, timeoutMs / 10));
  const leftMs = ageMs === undefined ? Math.min(usableMs, unknownAgeMs) : usableMs - ageMs;
  return Math.max(0, Math.floor(leftMs / 100) / 10);
}

/** Records that approvals that are reported from now on were requested after `timeMs`. */
export function recordNoApprovalsBefore(step: ReducerStep, timeMs: number): void {
  if (Number.isNaN(timeMs)) return;
  const { age } = step.state;
  updateState(step, { age: { ...age, noneBeforeMs: Math.max(timeMs, age.noneBeforeMs ?? timeMs) } });
}

export function recordStreamActivity(step: ReducerStep): void {
  const { timeMs } = step.at;
  updateState(step, { age: { ...step.state.age, lastActivityAtMs: timeMs } });
  if (step.state.age.quietDueMs === undefined) awaitQuiet(step, quietMs);
}

export function handleQuietStreamTimer(step: ReducerStep): void {
  const { timeMs } = step.at;
  const { lastActivityAtMs, quietDueMs = timeMs } = step.state.age;
  const quietForMs = timeMs - lastActivityAtMs;
  // A late timer means that the computer was asleep, so there may be data that was not read yet.
  if (timeMs - quietDueMs > quietMs) awaitQuiet(step, quietMs);
  else if (quietForMs < quietMs) awaitQuiet(step, quietMs - quietForMs);
  else {
    updateState(step, { age: { ...step.state.age, quietDueMs: undefined } });
    recordNoApprovalsBefore(step, lastActivityAtMs);
  }
}

/**
 * Returns the maximum age of an approval in milliseconds. Undefined if it is unknown. Approvals can arrive late: after
 * sleep, on a new connection, or in a replay. They were requested after the last time at which no approval was pending
 * or the stream had been read completely. `timestamp` is the approval's own time, if it has one.
 */
export function approvalAgeMs({ state, at }: ReducerStep, timestamp: unknown): number | undefined {
  const ages = [typeof timestamp === 'string' ? Date.parse(timestamp) : NaN, state.age.noneBeforeMs ?? NaN]
    .map((sinceMs) => at.timeMs - sinceMs)
    .filter((ageMs) => ageMs >= -clockSlackMs);
  return ages.length === 0 ? undefined : Math.max(0, Math.min(...ages));
}

/** Returns the age of a status's approval, in milliseconds, by its timestamp or else the last activity. */
export function pendingApprovalAgeMs(
  step: ReducerStep,
  { pending_approval: pending, last_activity }: SessionStatus,
): number | undefined {
  const known = pending === 'unreadable' ? undefined : approvalAgeMs(step, pending?.['timestamp']);
  const sinceMs = Date.parse(last_activity ?? '');
  return known ?? (Number.isNaN(sinceMs) ? undefined : Math.max(0, step.at.timeMs - sinceMs));
}

function awaitQuiet(step: ReducerStep, delayMs: number): void {
  updateState(step, { age: { ...step.state.age, quietDueMs: step.at.timeMs + delayMs } });
  setTimer(step, 'quiet', delayMs);
}
