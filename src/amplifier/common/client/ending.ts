import { messageOf } from '../../../base/common/errors';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { isMissingRouteError } from '../api/apiErrors';
import type { SessionStatus } from '../api/apiSchema';
import { detachTurn } from './detachedTurn';
import { denyAllApprovals, hasApprovalToDeny } from './approvalTable';
import { abortUnsentPrompt } from './prompts';
import type { CallId, StopMethod } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isRealServerSession, isSessionBusy, isTurnOpenOrPosting, type RequestedEnd } from './clientState';
import {
  beginCancel,
  clearTimersByKey,
  isSessionNotFound,
  logMessage,
  emitNotice,
  promptSendGraceMs,
  setTimer,
  settleCall,
  updateState,
  type ReducerStep,
} from './reducerStep';
import { endSession, endTurn, handleEvent } from './turns';

/** Maximum time for denying approvals before the turn is stopped. */
const denyMs = 2000;

/** `sessionEnded`: the session had to be ended. `goesOn`: it cannot be stopped. `notStopped`: unknown. */
type StopOutcome = 'turnEnded' | 'sessionEnded' | 'goesOn' | 'notStopped';

/** Denies approvals and stops the turn, all within one time limit. Reports the outcome. */
export function cancelTurn(step: ReducerStep, call: CallId): void {
  if (step.state.life === 'open' && isSessionBusy(step.state)) beginCancel(step, call);
  else settleCall(step, call);
}

/** Denies approvals, stops the turn and ends the session on the server, all within one time limit. */
export function closeSession(step: ReducerStep, call: CallId): void {
  const { life, ending, limits } = step.state;
  if (life !== 'open') {
    settleCall(step, call);
    return;
  }
  const { stage = 'prompt', isCancel = false, calls = [], heldEnd } = ending ?? {};
  updateState(step, { ending: { stage, isCancel, isClose: true, calls: [...calls, call], heldEnd } });
  if (!ending) setTimer(step, 'endingStage', promptSendGraceMs);
  setTimer(step, 'endingDeadline', limits.closeTimeoutMs);
}

/** Continues with the next stage if the current one is complete. */
export function advanceRequestedEnd(step: ReducerStep): void {
  const { ending, prompt, stop } = step.state;
  if (ending?.stage === 'prompt') {
    abortUnsentPrompt(step);
    if (step.state.prompt.kind === 'none' || (prompt.kind === 'posting' && prompt.isLate)) beginDenying(step, ending);
  } else if (ending?.stage === 'denying' && !hasApprovalToDeny(step.state)) {
    beginStopping(step, ending);
  }
  if (stop?.stage === 'grace' && !stop.isTurnDetached && hasEnded(step)) stopEnded(step, 'turnEnded');
}

export function handleEndingStageTimer(step: ReducerStep): void {
  const { ending } = step.state;
  if (ending?.stage === 'prompt') stopWaitingForPrompt(step);
  else if (ending?.stage === 'denying') beginStopping(step, ending);
}

export function handleEndingDeadline(step: ReducerStep): void {
  const { ending, stop } = step.state;
  if (!ending) return;
  step.effects.push({ kind: 'abort', purpose: 'stop' });
  if (ending.stage === 'closing') {
    handleCloseResult(step, new Error('it took too long'));
    return;
  }
  logMessage(step, 'warn', 'could not stop the turn in time');
  stopWaitingForPrompt(step);
  if (stop) dropRequestedStop(step);
  conclude(step, ending, 'notStopped');
}

/** Cancels a prompt that is being sent. If the server still accepts it, its turn is then stopped. */
function stopWaitingForPrompt(step: ReducerStep): void {
  const { prompt } = step.state;
  if (prompt.kind === 'posting') updateState(step, { prompt: { ...prompt, isLate: true } });
}

/** Delays a `session:end` until its cause has been reported. Returns whether it was delayed. */
export function holdBackSessionEnd(step: ReducerStep, event: SessionEvent): boolean {
  const { ending } = step.state;
  if (event.event !== 'session:end' || !ending?.isCancel) return false;
  updateState(step, { ending: { ...ending, heldEnd: event } });
  return true;
}

/** Handles the result of sending a request to stop the turn. */
export function handleStopSent(step: ReducerStep, way: StopMethod, error: unknown): void {
  const { stop, limits } = step.state;
  if (stop?.stage !== 'sending') return;
  if (error === undefined) {
    updateState(step, { stop: { ...stop, stage: 'grace' } });
    setTimer(step, 'stopGrace', limits.cancelGraceMs);
  } else if (way === 'route' && isMissingRouteError(error)) {
    step.effects.push({ kind: 'sendStop', way: 'control' });
  } else {
    checkWhetherStopped(step);
  }
}

export function checkWhetherStopped(step: ReducerStep): void {
  const { stop } = step.state;
  if (!stop) return;
  updateState(step, { stop: { ...stop, stage: 'asking' } });
  step.effects.push({ kind: 'askStatus', purpose: { kind: 'stop' }, timeoutMs: undefined });
}

export function handleStopStatus(step: ReducerStep, { status }: SessionStatus): void {
  const { stop } = step.state;
  if (stop?.stage !== 'asking') return;
  // The status is checked, because the last events of the turn may be lost.
  if (status === 'idle') stopEnded(step, 'turnEnded');
  else if (isRealServerSession(step.state))
    stopEnded(step, status === 'error' || status === 'stopped' ? 'turnEnded' : 'goesOn');
  else {
    updateState(step, { stop: { ...stop, stage: 'deleting' } });
    step.effects.push({ kind: 'delete', purpose: 'stop', timeoutMs: undefined });
  }
}

/** Handles the end of an attempt to stop the turn: the session was deleted, or a status request failed. */
export function handleStopAttemptEnd(step: ReducerStep, error: unknown): void {
  const { stop } = step.state;
  if (stop?.stage !== 'asking' && stop?.stage !== 'deleting') return;
  if (error === undefined || isSessionNotFound(error)) {
    stopEnded(step, 'sessionEnded');
    return;
  }
  logMessage(step, 'warn', `could not stop the turn: ${messageOf(error)}`);
  stopEnded(step, 'notStopped');
}

/** Handles the result of deleting the session when it is closed. */
export function handleCloseResult(step: ReducerStep, error: unknown): void {
  const { ending } = step.state;
  if (ending?.stage !== 'closing') return;
  if (error !== undefined) {
    logMessage(step, 'debug', `could not end it: ${messageOf(error)}`);
    detachTurn(step, { isDiscarded: true });
  }
  endSession(step, { reason: 'user_stopped' });
}

/** Settles the calls that wait for the end of the session. A detached turn may still be stopped after that. */
export function settleCallsAwaitingEnd(step: ReducerStep): void {
  const { ending, stop, detachedTurn } = step.state;
  if (stop && detachedTurn?.isStopped) updateState(step, { stop: { ...stop, isTurnDetached: true } });
  else if (stop && !stop.isTurnDetached) dropRequestedStop(step);
  if (!ending) return;
  updateState(step, { ending: undefined });
  clearTimersByKey(step, 'endingStage', 'endingDeadline');
  for (const call of ending.calls) settleCall(step, call);
}

export function dropRequestedStop(step: ReducerStep): void {
  updateState(step, { stop: undefined });
  clearTimersByKey(step, 'stopGrace');
}

function beginDenying(step: ReducerStep, ending: RequestedEnd): void {
  if (!isTurnOpenOrPosting(step.state)) {
    conclude(step, ending, 'nothing');
    return;
  }
  updateState(step, { ending: { ...ending, stage: 'denying' } });
  setTimer(step, 'endingStage', denyMs);
  // All approvals are denied, because a server may treat a time-out as permission.
  denyAllApprovals(step);
}

function beginStopping(step: ReducerStep, ending: RequestedEnd): void {
  clearTimersByKey(step, 'endingStage');
  updateState(step, { ending: { ...ending, stage: 'stopping' } });
  if (step.state.stop) return;
  if (hasEnded(step)) {
    stopEnded(step, 'turnEnded');
    return;
  }
  updateState(step, { stop: { stage: 'sending', isTurnDetached: false } });
  step.effects.push({ kind: 'sendStop', way: 'route' });
}

function stopEnded(step: ReducerStep, outcome: StopOutcome): void {
  dropRequestedStop(step);
  const { ending } = step.state;
  if (ending?.stage === 'stopping') conclude(step, ending, outcome);
}

function conclude(step: ReducerStep, ending: RequestedEnd, outcome: StopOutcome | 'nothing'): void {
  const { isCancel, isClose, heldEnd, calls } = ending;
  const isOver = outcome === 'goesOn' || outcome === 'sessionEnded';
  const continuesDetached = outcome === 'goesOn' || (isClose && outcome === 'notStopped');
  if (continuesDetached) detachTurn(step, { isDiscarded: true });
  if (isCancel && outcome !== 'nothing') {
    endTurn(step, 'cancelled');
    if (outcome !== 'turnEnded') emitNotice(step, 'warning', sessionMessages[outcome]);
  }
  if (isClose && !heldEnd && !isOver && !continuesDetached) {
    updateState(step, { ending: { ...ending, stage: 'closing', isCancel: false } });
    step.effects.push({ kind: 'delete', purpose: 'close', timeoutMs: undefined });
    return;
  }
  clearTimersByKey(step, 'endingStage', 'endingDeadline');
  updateState(step, { ending: undefined });
  for (const call of calls) settleCall(step, call);
  if (isOver || isClose) endSession(step, { reason: 'user_stopped' });
  else if (heldEnd) handleEvent(step, heldEnd);
}

function hasEnded({ state }: ReducerStep): boolean {
  return !isTurnOpenOrPosting(state) || state.ending?.heldEnd !== undefined;
}
