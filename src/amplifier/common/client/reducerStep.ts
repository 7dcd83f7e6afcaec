import { BackendError } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { isAmplifierApiError, type AmplifierApiError } from '../api/apiErrors';
import type { CallId, Moment, SessionEffect, TimerKey } from './sessionInput';
import type { SessionState } from './clientState';
import { sessionMessages } from './sessionMessages';

/** The processing of one input: the current state, and the events and effects until now. */
export interface ReducerStep {
  state: SessionState;
  readonly at: Moment;
  readonly events: SessionEvent[];
  readonly effects: SessionEffect[];
}

export function updateState(step: ReducerStep, change: Partial<SessionState>): void {
  step.state = { ...step.state, ...change };
}

export function emitNotice(step: ReducerStep, level: 'info' | 'warning', message: string): void {
  step.events.push({ event: 'notice', data: { session_id: step.state.sessionId, level, message } });
}

export function logMessage(step: ReducerStep, level: 'debug' | 'info' | 'warn', message: string): void {
  step.effects.push({ kind: 'log', level, message: `session ${step.state.sessionId}: ${message}` });
}

export function setTimer(step: ReducerStep, key: TimerKey, delayMs: number): void {
  step.effects.push({ kind: 'setTimer', key, delayMs });
}

export function clearTimersByKey(step: ReducerStep, ...keys: readonly TimerKey[]): void {
  for (const key of keys) step.effects.push({ kind: 'clearTimer', key });
}

export function settleCall(step: ReducerStep, call: CallId | undefined, error?: unknown, requestId?: string): void {
  if (call !== undefined) step.effects.push({ kind: 'settle', call, error: toBackendError(error), requestId });
}

/** Requests the status, which is then compared with the state of the session. */
export function checkStatus(step: ReducerStep): void {
  const { life, watch, receivedEventCount } = step.state;
  if (life !== 'open') return;
  if (watch.isCheckRunning) {
    updateState(step, { watch: { ...watch, mustCheckAgain: true } });
    return;
  }
  updateState(step, { watch: { ...watch, isCheckRunning: true } });
  const purpose = { kind: 'check', receivedEventCount, askedAtMs: step.at.timeMs } as const;
  step.effects.push({ kind: 'askStatus', purpose, timeoutMs: undefined });
}

export function beginCancel(step: ReducerStep, call?: CallId): void {
  const { ending, limits } = step.state;
  const calls = [...(ending?.calls ?? []), ...(call === undefined ? [] : [call])];
  if (!ending) setTimer(step, 'endingDeadline', limits.cancelTimeoutMs);
  if (!ending) setTimer(step, 'endingStage', promptSendGraceMs);
  const begun = ending ?? { stage: 'prompt', isClose: false, heldEnd: undefined };
  updateState(step, { ending: { ...begun, isCancel: ending?.stage !== 'closing', calls } });
}

/** How long cancelling waits for a prompt that is being sent, in milliseconds. */
export const promptSendGraceMs = 5000;

/** Stops a turn on the server. Its end was already emitted. */
export function stopReportedTurnOnServer(step: ReducerStep): void {
  if (step.state.stop) return;
  updateState(step, { stop: { stage: 'sending', isTurnDetached: true } });
  step.effects.push({ kind: 'sendStop', way: 'route' });
}

export function sessionClosedError(): BackendError {
  return new BackendError('closed', sessionMessages.closed);
}

export function toBackendError(error: unknown): unknown {
  return isAmplifierApiError(error) ? error.toBackendError() : error;
}

export function isSessionNotFound(error: unknown): error is AmplifierApiError {
  return isAmplifierApiError(error) && error.code === 'SESSION_NOT_FOUND';
}
