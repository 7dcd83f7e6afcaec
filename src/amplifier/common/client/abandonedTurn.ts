import { findDenyOption } from '../../../session/common/approvalOptions';
import { messageOf } from '../../../base/common/errors';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionStatus } from '../api/apiSchema';
import { abortPrompt } from './prompts';
import type { AbandonedTurn } from './clientState';
import {
  clearTimers,
  isSessionNotFound,
  logMessage,
  setTimer,
  stopAbandonedTurn,
  updateState,
  type ReducerStep,
} from './reducerStep';

const lookMs = 500;
const maxLookMs = 5000;
const requestTimeoutMs = 3000;
/** How many checks in a row must report `idle`. A server that has just accepted a prompt may still report it. */
const enoughIdleLooks = 2;

/** Denies the approvals of a turn until it ends on the server. Call before the end is emitted to readers. */
export function abandonTurn(step: ReducerStep, { isStopped = false, isDiscarded = false }): void {
  abortPrompt(step);
  const stopping = 'prompt';
  const begun = { stage: 'looking', idleLooks: 0, pauseMs: lookMs, denial: undefined } as const;
  updateState(step, { abandoned: { ...begun, stopping, isStopped, isDiscarded } });
  setTimer(step, 'abandoned', step.state.limits.abandonedMs);
  pollAbandonedTurn(step);
}

/** Stops following the detached turn, because the user has returned or its time limit has passed. */
export function stopFollowingAbandonedTurn(step: ReducerStep): void {
  if (!step.state.abandoned) return;
  updateState(step, { abandoned: undefined });
  clearTimers(step, 'look', 'abandoned');
}

export function advanceAbandonedTurn(step: ReducerStep): void {
  const { abandoned, prompt, stop } = step.state;
  if (abandoned?.stopping === 'prompt' && prompt.kind === 'none') {
    change(step, { stopping: abandoned.isStopped ? 'turn' : 'done' });
    if (abandoned.isStopped) stopAbandonedTurn(step);
  } else if (abandoned?.stopping === 'turn' && !stop) {
    change(step, { stopping: 'done' });
  }
}

/** Handles an event of the turn while the stream is still open. */
export function handleAbandonedEvent(step: ReducerStep, { event, data }: SessionEvent): void {
  if (event === 'approval:granted' || event === 'approval:denied') change(step, { denial: undefined });
  if (event !== 'approval:required') return;
  const denial = findDenyOption(data.options, data.option_kinds);
  change(step, { denial });
  if (denial !== undefined && step.state.abandoned) deny(step, denial, 'heard');
}

export function handleAbandonedStatus(step: ReducerStep, { status, pending_approval: pending }: SessionStatus): void {
  const { abandoned } = step.state;
  if (abandoned?.stage !== 'looking') return;
  if (status === 'awaiting_approval') {
    const options = pending === 'unreadable' ? undefined : pending?.options;
    const kinds = pending === 'unreadable' ? undefined : pending?.option_kinds;
    const denial = options ? findDenyOption(options, kinds) : abandoned.denial;
    if (denial === undefined) pause(step, 0);
    else {
      change(step, { stage: 'denying' });
      deny(step, denial, 'look');
    }
    return;
  }
  const idleLooks = status !== 'processing' && abandoned.stopping === 'done' ? abandoned.idleLooks + 1 : 0;
  if (idleLooks === enoughIdleLooks) endAbandonedTurn(step);
  else pause(step, idleLooks);
}

export function handleAbandonedFailure(step: ReducerStep, error: unknown): void {
  const { abandoned } = step.state;
  if (abandoned?.stage !== 'looking' && abandoned?.stage !== 'denying') return;
  if (isSessionNotFound(error)) stopFollowingAbandonedTurn(step);
  else pause(step, 0, Math.min(maxLookMs, abandoned.pauseMs * 2));
}

export function handleAbandonedDenial(step: ReducerStep, error: unknown): void {
  if (error !== undefined) handleAbandonedFailure(step, error);
  else if (step.state.abandoned?.stage === 'denying') pause(step, 0);
}

export function pollAbandonedTurn(step: ReducerStep): void {
  if (!step.state.abandoned) return;
  change(step, { stage: 'looking' });
  step.effects.push({ kind: 'askStatus', purpose: { kind: 'look' }, timeoutMs: requestTimeoutMs });
}

/** Ends the detached turn, because it is over or its time limit has passed. */
export function endAbandonedTurn(step: ReducerStep): void {
  const { abandoned } = step.state;
  if (!abandoned?.isDiscarded) {
    stopFollowingAbandonedTurn(step);
    return;
  }
  change(step, { stage: 'discarding' });
  clearTimers(step, 'look', 'abandoned');
  step.effects.push({ kind: 'delete', purpose: 'discard', timeoutMs: requestTimeoutMs });
}

export function handleSessionDiscarded(step: ReducerStep, error: unknown): void {
  if (error !== undefined) logMessage(step, 'warn', `it stays on the server: ${messageOf(error)}`);
  stopFollowingAbandonedTurn(step);
}

function pause(step: ReducerStep, idleLooks: number, pauseMs = lookMs): void {
  change(step, { stage: 'pausing', idleLooks, pauseMs });
  setTimer(step, 'look', pauseMs);
}

function deny(step: ReducerStep, decision: string, kind: 'look' | 'heard'): void {
  step.effects.push({ kind: 'answer', purpose: { kind }, body: { decision }, timeoutMs: requestTimeoutMs });
}

function change(step: ReducerStep, part: Partial<AbandonedTurn>): void {
  const { abandoned } = step.state;
  if (abandoned) updateState(step, { abandoned: { ...abandoned, ...part } });
}
