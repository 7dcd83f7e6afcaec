import type { SessionStatus } from '../api/apiSchema';
import {
  handleApprovalRequired,
  setMayBeReportedAgain,
  closeApprovalsAnsweredElsewhere,
  isAwaitingApproval,
  isApprovalShown,
} from './approvalTable';
import { pendingApprovalAgeMs, secondsToAnswer } from './approvalTime';
import type { StatusPurpose } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isTurnOpenOrPosting, type SessionState, type StatusCheckState } from './clientState';
import {
  beginCancel,
  checkStatus,
  clearTimersByKey,
  emitNotice,
  setTimer,
  updateState,
  type ReducerStep,
} from './reducerStep';
import { endSession, failTurn, interruptTurn, ensureTurn } from './turns';

const maxOvertaken = 3;
/** How long the stream may still repeat approvals that are already shown, in milliseconds. */
const backlogMs = 250;

/** Checks the status if there were no events of an open turn since the last heartbeat. */
export function handleHeartbeat(step: ReducerStep): void {
  const { receivedEventCount, watch, limits } = step.state;
  if (isWatched(step.state) && receivedEventCount === watch.eventCountAtHeartbeat) checkStatus(step);
  setWatch(step, { eventCountAtHeartbeat: receivedEventCount });
  setTimer(step, 'heartbeat', limits.heartbeatMs);
}

export function handleCheckResult(step: ReducerStep, purpose: CheckOrPromptStatusPurpose, status: SessionStatus): void {
  if (applyStatusIfCurrent(step, purpose, status)) setWatch(step, { overtakenCheckCount: 0 });
  else checkLater(step);
  endStatusCheck(step);
}

export function endStatusCheck(step: ReducerStep): void {
  const { mustCheckAgain } = step.state.watch;
  setWatch(step, { isCheckRunning: false, mustCheckAgain: false });
  if (mustCheckAgain) checkStatus(step);
}

/** Applies the status, unless an event arrived during its request. Returns whether it was applied. */
export function applyStatusIfCurrent(
  step: ReducerStep,
  { receivedEventCount }: CheckOrPromptStatusPurpose,
  status: SessionStatus,
): boolean {
  if (step.state.life !== 'open' || step.state.receivedEventCount !== receivedEventCount) return false;
  applyStatus(step, status);
  if (status.status === 'idle' && isWatched(step.state)) {
    setWatch(step, { eventCountAtIdle: receivedEventCount });
    setTimer(step, 'settle', step.state.limits.settleMs);
  }
  return true;
}

/** Ends the open turn if the server is idle and the last events did not arrive in time. */
export function handleSettleTimer(step: ReducerStep): void {
  const { receivedEventCount, watch } = step.state;
  if (receivedEventCount !== watch.eventCountAtIdle || !isWatched(step.state)) return;
  interruptTurn(step, 'The server ended the turn, but the end of the answer did not arrive.');
}

/** Expects approvals again: after a reconnect, the server may repeat pending ones, before or after the status. */
export function expectRepeatedApprovals(step: ReducerStep): void {
  updateState(step, { isNewlyConnected: true, isRepeatWindowOpen: false });
  setMayBeReportedAgain(step, true);
  openRepeatWindow(step);
}

export function stopExpectingRepeatedApprovals(step: ReducerStep): void {
  updateState(step, { isRepeatWindowOpen: false });
  setMayBeReportedAgain(step, false);
}

function applyStatus(step: ReducerStep, status: SessionStatus): void {
  const { pending_approval: pending } = status;
  switch (status.status) {
    case 'idle':
      statusIsClear(step);
      closeApprovalsAnsweredElsewhere(step);
      return;
    case 'processing':
      statusIsClear(step);
      closeApprovalsAnsweredElsewhere(step);
      ensureTurn(step);
      return;
    case 'awaiting_approval':
      ensureTurn(step);
      // An unreadable approval may be one of the shown ones.
      if (pending === undefined || pending === 'unreadable' || !pending.options?.length) handleUnclearStatus(step);
      else showPending(step, status);
      return;
    case 'error':
      if (isTurnOpenOrPosting(step.state)) failTurn(step, { error: sessionMessages.failed });
      endSession(step, { reason: 'error' });
      return;
    case 'stopped':
      endSession(step, { reason: 'stopped' });
  }
}

/** Shows the pending approval of the status, unless the stream has already reported it. */
function showPending(step: ReducerStep, status: SessionStatus): void {
  const { pending_approval: pending } = status;
  if (pending === undefined || pending === 'unreadable' || !pending.options) return;
  const { isNewlyConnected, sessionId } = step.state;
  statusIsClear(step);
  if (!isApprovalShown(step.state, pending.approval_id)) {
    const { context = {}, options, prompt = 'The agent is asking for your approval.', ...data } = pending;
    const timeout = secondsToAnswer(pending.timeout, pendingApprovalAgeMs(step, status));
    const request = { ...data, session_id: sessionId, prompt, options, timeout, default: 'deny', context } as const;
    handleApprovalRequired(step, request, true);
  }
  if (isNewlyConnected) setMayBeReportedAgain(step, true);
  openRepeatWindow(step);
}

/** Waits for the event of an approval that the status does not describe. If it does not arrive, stops the turn. */
function handleUnclearStatus(step: ReducerStep): void {
  const { limits, unclearSinceMs = step.at.nowMs } = step.state;
  if (isAwaitingApproval(step.state)) {
    statusIsClear(step);
  } else if (step.at.nowMs - unclearSinceMs >= limits.settleMs) {
    statusIsClear(step);
    emitNotice(step, 'warning', sessionMessages.unclear);
    beginCancel(step);
  } else {
    updateState(step, { unclearSinceMs });
    setTimer(step, 'unclear', limits.settleMs);
  }
}

function statusIsClear(step: ReducerStep): void {
  if (step.state.unclearSinceMs !== undefined) clearTimersByKey(step, 'unclear');
  updateState(step, { isNewlyConnected: false, unclearSinceMs: undefined });
}

/** Schedules another check. The number of retries is limited, to avoid constant polling while many events arrive. */
function checkLater(step: ReducerStep): void {
  if (step.state.life !== 'open') return;
  const overtaken = step.state.watch.overtakenCheckCount + 1;
  setWatch(step, { overtakenCheckCount: overtaken > maxOvertaken ? 0 : overtaken });
  if (overtaken <= maxOvertaken) setTimer(step, 'checkLater', step.state.limits.settleMs);
}

function openRepeatWindow(step: ReducerStep): void {
  if (step.state.isRepeatWindowOpen) return;
  updateState(step, { isRepeatWindowOpen: true });
  setTimer(step, 'repeatWindow', backlogMs);
}

function isWatched({ turn, prompt }: SessionState): boolean {
  return turn.kind === 'open' && prompt.kind === 'none';
}

function setWatch(step: ReducerStep, change: Partial<StatusCheckState>): void {
  updateState(step, { watch: { ...step.state.watch, ...change } });
}

export type CheckOrPromptStatusPurpose = StatusPurpose<'check' | 'prompt'>;
