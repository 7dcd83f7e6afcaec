import { findDenyOption } from '../../../session/common/approvalOptions';
import { messageOf } from '../../../base/common/errors';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionStatus } from '../api/apiSchema';
import { abortUnsentPrompt } from './prompts';
import type { DetachedTurn } from './clientState';
import {
  clearTimersByKey,
  isSessionNotFound,
  logMessage,
  setTimer,
  stopReportedTurnOnServer,
  updateState,
  type ReducerStep,
} from './reducerStep';

const checkPauseMs = 500;
const maxCheckPauseMs = 5000;
const requestTimeoutMs = 3000;
/** How many checks in a row must report `idle`. A server that has just accepted a prompt may still report it. */
const enoughIdleChecks = 2;

/** Denies the approvals of a turn until it ends on the server. Call before the end is emitted to readers. */
export function detachTurn(step: ReducerStep, { isStopped = false, isDiscarded = false }): void {
  abortUnsentPrompt(step);
  const stopping = 'prompt';
  const begun = { stage: 'checking', idleChecks: 0, pauseMs: checkPauseMs, denial: undefined } as const;
  updateState(step, { detachedTurn: { ...begun, stopping, isStopped, isDiscarded } });
  setTimer(step, 'detachedTurn', step.state.limits.detachedTurnMs);
  checkDetachedTurn(step);
}

/** Stops following the detached turn, because the user has returned or its time limit has passed. */
export function stopFollowingDetachedTurn(step: ReducerStep): void {
  if (!step.state.detachedTurn) return;
  updateState(step, { detachedTurn: undefined });
  clearTimersByKey(step, 'detachedTurnCheck', 'detachedTurn');
}

export function advanceDetachedTurn(step: ReducerStep): void {
  const { detachedTurn, prompt, stop } = step.state;
  if (detachedTurn?.stopping === 'prompt' && prompt.kind === 'none') {
    change(step, { stopping: detachedTurn.isStopped ? 'turn' : 'done' });
    if (detachedTurn.isStopped) stopReportedTurnOnServer(step);
  } else if (detachedTurn?.stopping === 'turn' && !stop) {
    change(step, { stopping: 'done' });
  }
}

/** Handles an event of the turn while the stream is still open. */
export function handleDetachedTurnEvent(step: ReducerStep, { event, data }: SessionEvent): void {
  if (event === 'approval:granted' || event === 'approval:denied') change(step, { denial: undefined });
  if (event !== 'approval:required') return;
  const denial = findDenyOption(data.options, data.option_kinds);
  change(step, { denial });
  if (denial !== undefined && step.state.detachedTurn) deny(step, denial, 'detachedTurnEvent');
}

export function handleDetachedTurnStatus(
  step: ReducerStep,
  { status, pending_approval: pending }: SessionStatus,
): void {
  const { detachedTurn } = step.state;
  if (detachedTurn?.stage !== 'checking') return;
  if (status === 'awaiting_approval') {
    const options = pending === 'unreadable' ? undefined : pending?.options;
    const kinds = pending === 'unreadable' ? undefined : pending?.option_kinds;
    const denial = options ? findDenyOption(options, kinds) : detachedTurn.denial;
    if (denial === undefined) pause(step, 0);
    else {
      change(step, { stage: 'denying' });
      deny(step, denial, 'detachedTurnCheck');
    }
    return;
  }
  const idleChecks = status !== 'processing' && detachedTurn.stopping === 'done' ? detachedTurn.idleChecks + 1 : 0;
  if (idleChecks === enoughIdleChecks) endDetachedTurn(step);
  else pause(step, idleChecks);
}

export function handleDetachedTurnRequestFailure(step: ReducerStep, error: unknown): void {
  const { detachedTurn } = step.state;
  if (detachedTurn?.stage !== 'checking' && detachedTurn?.stage !== 'denying') return;
  if (isSessionNotFound(error)) stopFollowingDetachedTurn(step);
  else pause(step, 0, Math.min(maxCheckPauseMs, detachedTurn.pauseMs * 2));
}

export function handleDetachedTurnDenialResult(step: ReducerStep, error: unknown): void {
  if (error !== undefined) handleDetachedTurnRequestFailure(step, error);
  else if (step.state.detachedTurn?.stage === 'denying') pause(step, 0);
}

export function checkDetachedTurn(step: ReducerStep): void {
  if (!step.state.detachedTurn) return;
  change(step, { stage: 'checking' });
  step.effects.push({ kind: 'askStatus', purpose: { kind: 'detachedTurnCheck' }, timeoutMs: requestTimeoutMs });
}

/** Ends the detached turn, because it is over or its time limit has passed. */
export function endDetachedTurn(step: ReducerStep): void {
  const { detachedTurn } = step.state;
  if (!detachedTurn?.isDiscarded) {
    stopFollowingDetachedTurn(step);
    return;
  }
  change(step, { stage: 'discarding' });
  clearTimersByKey(step, 'detachedTurnCheck', 'detachedTurn');
  step.effects.push({ kind: 'delete', purpose: 'discard', timeoutMs: requestTimeoutMs });
}

export function handleSessionDiscarded(step: ReducerStep, error: unknown): void {
  if (error !== undefined) logMessage(step, 'warn', `it stays on the server: ${messageOf(error)}`);
  stopFollowingDetachedTurn(step);
}

function pause(step: ReducerStep, idleChecks: number, pauseMs = checkPauseMs): void {
  change(step, { stage: 'pausing', idleChecks, pauseMs });
  setTimer(step, 'detachedTurnCheck', pauseMs);
}

function deny(step: ReducerStep, decision: string, kind: 'detachedTurnCheck' | 'detachedTurnEvent'): void {
  step.effects.push({ kind: 'answer', purpose: { kind }, body: { decision }, timeoutMs: requestTimeoutMs });
}

function change(step: ReducerStep, part: Partial<DetachedTurn>): void {
  const { detachedTurn } = step.state;
  if (detachedTurn) updateState(step, { detachedTurn: { ...detachedTurn, ...part } });
}
