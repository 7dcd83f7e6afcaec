import * as detached from './detachedTurn';
import * as approvals from './approvalTable';
import * as time from './approvalTime';
import * as connection from './connection';
import * as ending from './ending';
import * as prompts from './prompts';
import * as watch from './statusChecks';
import * as turns from './turns';
import type {
  CallId,
  SessionInputHandlers,
  InputKind,
  Moment,
  FixedTimerKey,
  SessionInput,
  TimerKey,
} from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { hasOwnTurn, type SessionState } from './clientState';
import {
  checkStatus,
  clearTimersByKey,
  sessionClosedError,
  emitNotice,
  setTimer,
  settleCall,
  updateState,
  type ReducerStep,
} from './reducerStep';

/** Computes the next state of a session, the events for its readers, and the effects to perform. */
export function reduceSession(state: SessionState, input: SessionInput, at: Moment): Readonly<ReducerStep> {
  const step: ReducerStep = { state, at, events: [], effects: [] };
  handle(step, input);
  advance(step);
  return step;
}

function handle<Kind extends InputKind>(step: ReducerStep, input: SessionInput<Kind>): void {
  const handlers = step.state.life === 'open' ? whileOpen : afterwards;
  handlers[input.kind]?.(step, input);
}

const refuse = (step: ReducerStep, { call }: { readonly call: CallId }): void =>
  settleCall(step, call, sessionClosedError());
const done = (step: ReducerStep, { call }: { readonly call: CallId }): void => settleCall(step, call);

const results = {
  status: statusAnswered,
  statusFailed,
  collected: prompts.handlePromptContextCollected,
  promptTaken: prompts.handlePromptAccepted,
  promptFailed: prompts.handlePromptFailure,
  answered,
  stopSent: (step, { way, error }) => ending.handleStopSent(step, way, error),
  deleted: (step, { purpose, error }) => afterDelete[purpose](step, error),
  timer: (step, { key }) => timer(step, key),
} satisfies Partial<SessionInputHandlers<ReducerStep>>;

const whileOpen: Partial<SessionInputHandlers<ReducerStep>> = {
  ...results,
  begin: (step) => time.recordNoApprovalsBefore(step, step.at.timeMs),
  resume,
  start,
  prompt: prompts.beginPrompt,
  cancel: (step, { call }) => ending.cancelTurn(step, call),
  close: (step, { call }) => ending.closeSession(step, call),
  approve: (step, { call, id, option }) => approvals.answerApproval(step, call, id, option),
  notice: (step, { level, message }) => emitNotice(step, level, message),
  dispose: leaveSession,
  event: (step, { event }) => (ending.holdBackSessionEnd(step, event) ? undefined : turns.handleEvent(step, event)),
  activity: time.recordStreamActivity,
  connected: connection.handleConnected,
  lasting: connection.endReconnectGrace,

  reconnecting: connection.handleReconnecting,
  oversize: (step) => emitNotice(step, 'warning', 'An event from the server was too large and was skipped.'),
  // The turn is stopped if the status does not describe the approval either.
  lostApproval: checkStatus,
  streamFailed: (step, { error }) => connection.handleStreamGivenUp(step, error),
} satisfies Omit<SessionInputHandlers<ReducerStep>, 'giveUp'>;

/** Handlers of inputs that arrive after the session has ended for its readers. */
const afterwards: Partial<SessionInputHandlers<ReducerStep>> = {
  ...results,
  start: refuse,
  prompt: refuse,
  approve: refuse,
  cancel: done,
  close: done,
  event: (step, { event }) => detached.handleDetachedTurnEvent(step, event),
  giveUp,
};

const timers: Readonly<Record<FixedTimerKey, (step: ReducerStep) => void>> = {
  heartbeat: watch.handleHeartbeat,
  settle: watch.handleSettleTimer,
  checkLater: checkStatus,
  unclear: checkStatus,
  repeatWindow: watch.stopExpectingRepeatedApprovals,
  quiet: time.handleQuietStreamTimer,
  grace: connection.handleReconnectGraceTimer,
  idleWait: prompts.checkWhetherSessionIdle,
  endingStage: ending.handleEndingStageTimer,
  endingDeadline: ending.handleEndingDeadline,
  stopGrace: ending.checkWhetherStopped,
  detachedTurnCheck: detached.checkDetachedTurn,
  detachedTurn: detached.endDetachedTurn,
};

const afterDelete = {
  stop: ending.handleStopAttemptEnd,
  close: ending.handleCloseResult,
  discard: detached.handleSessionDiscarded,
} as const;

function timer(step: ReducerStep, key: TimerKey): void {
  if (isPlain(key)) timers[key](step);
  else approvals.handleApprovalTimer(step, key.slice('approval '.length));
}

function isPlain(key: TimerKey): key is FixedTimerKey {
  return Object.hasOwn(timers, key);
}

function statusAnswered(step: ReducerStep, { purpose, status }: SessionInput<'status'>): void {
  if (purpose.kind === 'check' || purpose.kind === 'prompt') {
    if (status.status !== 'awaiting_approval') time.recordNoApprovalsBefore(step, purpose.askedAtMs);
    if (purpose.kind === 'check') watch.handleCheckResult(step, purpose, status);
    else prompts.handlePromptStatus(step, purpose, status);
  } else if (purpose.kind === 'allowance') approvals.handleStatusBeforeAllowing(step, purpose, status);
  else if (purpose.kind === 'stop') ending.handleStopStatus(step, status);
  else detached.handleDetachedTurnStatus(step, status);
}

function statusFailed(step: ReducerStep, { purpose, error }: SessionInput<'statusFailed'>): void {
  if (purpose.kind === 'check') connection.handleStatusCheckFailure(step, error);
  else if (purpose.kind === 'prompt') prompts.failPrompt(step, error);
  else if (purpose.kind === 'allowance') approvals.handleAnswerFailure(step, purpose.id, purpose.call, error);
  else if (purpose.kind === 'stop') ending.handleStopAttemptEnd(step, error);
  else detached.handleDetachedTurnRequestFailure(step, error);
}

function answered(step: ReducerStep, { purpose, error }: SessionInput<'answered'>): void {
  if (purpose.kind === 'approval') {
    if (error === undefined) approvals.handleAnswerAccepted(step, purpose);
    else approvals.handleAnswerFailure(step, purpose.id, purpose.call, error);
  } else if (purpose.kind === 'detachedTurnCheck') detached.handleDetachedTurnDenialResult(step, error);
}

function start(step: ReducerStep, { call }: SessionInput<'start'>): void {
  updateState(step, { opening: call });
  setTimer(step, 'heartbeat', step.state.limits.heartbeatMs);
  step.effects.push({ kind: 'openStream' });
}

/** Continues to cancel, close or follow a turn until the state no longer changes. */
function advance(step: ReducerStep): void {
  let before;
  do {
    before = step.state;
    if (before.ending || before.stop) ending.advanceRequestedEnd(step);
    if (before.detachedTurn) detached.advanceDetachedTurn(step);
    if (step.state.life === 'ended') finish(step);
    if (step.state.life === 'over') settleWhenDone(step);
  } while (step.state !== before);
}

/** Restores a session that already existed. A pending approval is assumed to be from the time of the last activity. */
function resume(step: ReducerStep, { status, askedAtMs }: SessionInput<'resume'>): void {
  const { token_usage: soFar, last_event_id: eventId, last_activity: lastActivity } = status;
  if (soFar) updateState(step, { usage: { ...step.state.usage, soFar } });
  for (const event of status.state) turns.handleEvent(step, event);
  // Whoever loads the session asks whether a turn runs.
  const isInTurn = status.status === 'processing' || status.status === 'awaiting_approval';
  if (isInTurn && step.state.turn.kind === 'none') turns.resumeTurn(step);
  if (eventId !== undefined) step.effects.push({ kind: 'continueAfter', eventId });
  time.recordNoApprovalsBefore(
    step,
    status.status === 'awaiting_approval' ? Date.parse(lastActivity ?? '') : askedAtMs,
  );
}

/** Leaves the session without ending it on the server. Stops its own turn if the server supports that. */
function leaveSession(step: ReducerStep): void {
  if (hasOwnTurn(step.state)) {
    detached.detachTurn(step, { isStopped: true });
    emitNotice(step, 'warning', sessionMessages.left);
  }
  turns.endTurn(step, 'interrupted');
  updateState(step, { life: 'ended' });
}

/** Ends the session for its readers. Denials continue, and a detached turn is still followed. */
function finish(step: ReducerStep): void {
  updateState(step, { life: 'over' });
  settleCall(step, step.state.opening, sessionClosedError());
  updateState(step, { opening: undefined });
  clearTimersByKey(step, 'heartbeat', 'settle', 'checkLater', 'unclear', 'repeatWindow', 'quiet', 'grace');
  ending.settleCallsAwaitingEnd(step);
  step.effects.push({ kind: 'reportEnded' });
  if (!step.state.detachedTurn) step.effects.push({ kind: 'closeStream' });
}

function settleWhenDone(step: ReducerStep): void {
  const { detachedTurn, stop } = step.state;
  if (detachedTurn || stop || approvals.listOpenApprovals(step.state).length > 0) return;
  updateState(step, { life: 'settled' });
  step.effects.push({ kind: 'closeStream' }, { kind: 'reportSettled' });
}

function giveUp(step: ReducerStep): void {
  approvals.resolveAllApprovals(step);
  detached.stopFollowingDetachedTurn(step);
  if (step.state.stop) ending.dropRequestedStop(step);
}
