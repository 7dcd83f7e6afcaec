import * as abandoned from './abandonedTurn';
import * as approvals from './approvalTable';
import * as time from './approvalTime';
import * as connection from './connection';
import * as ending from './ending';
import * as prompts from './prompts';
import * as watch from './statusWatch';
import * as turns from './turns';
import type { Call, InputHandlers, InputKind, Moment, PlainTimer, SessionInput, TimerKey } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isOwn, type SessionState } from './clientState';
import { check, clearTimers, closedError, notice, setTimer, settle, update, type Step } from './sessionStep';

/** Computes the next state of a session, the events for its readers, and the effects to perform. */
export function reduceSession(state: SessionState, input: SessionInput, at: Moment): Readonly<Step> {
  const step: Step = { state, at, events: [], effects: [] };
  handle(step, input);
  advance(step);
  return step;
}

function handle<Kind extends InputKind>(step: Step, input: SessionInput<Kind>): void {
  const handlers = step.state.life === 'open' ? whileOpen : afterwards;
  handlers[input.kind]?.(step, input);
}

const refuse = (step: Step, { call }: { readonly call: Call }): void => settle(step, call, closedError());
const done = (step: Step, { call }: { readonly call: Call }): void => settle(step, call);

/** Handlers for results of effects and for timers. */
const results = {
  status: statusAnswered,
  statusFailed,
  collected: prompts.promptCollected,
  promptTaken: prompts.promptTaken,
  promptFailed: prompts.promptFailed,
  answered,
  told: (step, { way, error }) => ending.stopTold(step, way, error),
  deleted: (step, { purpose, error }) => afterDelete[purpose](step, error),
  timer: (step, { key }) => timer(step, key),
} satisfies Partial<InputHandlers<Step>>;

const whileOpen: Partial<InputHandlers<Step>> = {
  ...results,
  begin: (step) => time.noneBefore(step, step.at.timeMs),
  resume,
  start,
  prompt: prompts.beginPrompt,
  cancel: (step, { call }) => ending.cancelTurn(step, call),
  close: (step, { call }) => ending.closeSession(step, call),
  approve: (step, { call, id, option }) => approvals.chooseOption(step, call, id, option),
  notice: (step, { level, message }) => notice(step, level, message),
  dispose: leaveSession,
  event: (step, { event }) => (ending.holdsEnd(step, event) ? undefined : turns.hearEvent(step, event)),
  activity: time.heardStream,
  connected: connection.connected,
  lasting: connection.endGrace,

  reconnecting: connection.reconnecting,
  oversize: (step) => notice(step, 'warning', 'An event from the server was too large and was skipped.'),
  // If the status does not describe the approval either, the turn is stopped.
  lostApproval: check,
  streamFailed: (step, { error }) => connection.streamFailed(step, error),
} satisfies Omit<InputHandlers<Step>, 'giveUp'>;

/** Handlers after the session has ended for its readers. */
const afterwards: Partial<InputHandlers<Step>> = {
  ...results,
  start: refuse,
  prompt: refuse,
  approve: refuse,
  cancel: done,
  close: done,
  event: (step, { event }) => abandoned.abandonedEvent(step, event),
  giveUp,
};

const timers: Readonly<Record<PlainTimer, (step: Step) => void>> = {
  heartbeat: watch.beat,
  settle: watch.settleTime,
  checkLater: check,
  unclear: check,
  seal: watch.seal,
  quiet: time.lookForQuiet,
  grace: connection.graceTimer,
  idleWait: prompts.askWhetherIdle,
  endingStage: ending.endingStageTimer,
  endingDeadline: ending.endingDeadline,
  stopGrace: ending.askWhetherStopped,
  look: abandoned.look,
  abandoned: abandoned.endAbandoned,
};

const afterDelete = { stop: ending.stopAnswered, close: ending.closeEnded, discard: abandoned.discarded } as const;

function timer(step: Step, key: TimerKey): void {
  if (isPlain(key)) timers[key](step);
  else approvals.approvalTimer(step, key.slice('approval '.length));
}

function isPlain(key: TimerKey): key is PlainTimer {
  return Object.hasOwn(timers, key);
}

function statusAnswered(step: Step, { purpose, status }: SessionInput<'status'>): void {
  if (purpose.kind === 'check' || purpose.kind === 'prompt') {
    if (status.status !== 'awaiting_approval') time.noneBefore(step, purpose.askedAtMs);
    if (purpose.kind === 'check') watch.checkAnswered(step, purpose, status);
    else prompts.promptStatus(step, purpose, status);
  } else if (purpose.kind === 'allowance') approvals.allowanceJudged(step, purpose, status);
  else if (purpose.kind === 'stop') ending.stopStatus(step, status);
  else abandoned.abandonedStatus(step, status);
}

function statusFailed(step: Step, { purpose, error }: SessionInput<'statusFailed'>): void {
  if (purpose.kind === 'check') connection.checkFailed(step, error);
  else if (purpose.kind === 'prompt') prompts.failPrompt(step, error);
  else if (purpose.kind === 'allowance') approvals.answerFailed(step, purpose.id, purpose.call, error);
  else if (purpose.kind === 'stop') ending.stopAnswered(step, error);
  else abandoned.abandonedFailed(step, error);
}

function answered(step: Step, { purpose, error }: SessionInput<'answered'>): void {
  if (purpose.kind === 'approval') {
    if (error === undefined) approvals.answerTaken(step, purpose);
    else approvals.answerFailed(step, purpose.id, purpose.call, error);
  } else if (purpose.kind === 'look') abandoned.abandonedDenied(step, error);
}

function start(step: Step, { call }: SessionInput<'start'>): void {
  update(step, { opening: call });
  setTimer(step, 'heartbeat', step.state.limits.heartbeatMs);
  step.effects.push({ kind: 'openStream' });
}

/** Advances dependent processes until the state no longer changes. */
function advance(step: Step): void {
  let before;
  do {
    before = step.state;
    if (before.ending || before.stop) ending.advanceEnding(step);
    if (before.abandoned) abandoned.advanceAbandoned(step);
    if (step.state.life === 'ended') finish(step);
    if (step.state.life === 'over') settleWhenDone(step);
  } while (step.state !== before);
}

/** Restores a session that existed before. A pending approval dates from the last activity. */
function resume(step: Step, { status, askedAtMs }: SessionInput<'resume'>): void {
  const { token_usage: soFar, last_event_id: eventId, last_activity: lastActivity } = status;
  if (soFar) update(step, { usage: { ...step.state.usage, soFar } });
  for (const event of status.state) turns.hearEvent(step, event);
  if (eventId !== undefined) step.effects.push({ kind: 'goOnAfter', eventId });
  time.noneBefore(step, status.status === 'awaiting_approval' ? Date.parse(lastActivity ?? '') : askedAtMs);
}

/** Leaves the session on the server. Stops its own turn, if the server supports that. */
function leaveSession(step: Step): void {
  if (isOwn(step.state)) {
    abandoned.abandonTurn(step, { isStopped: true });
    notice(step, 'warning', sessionMessages.left);
  }
  turns.endTurn(step, 'interrupted');
  update(step, { life: 'ended' });
}

/** Ends the session for its readers. Denials, and following an abandoned turn, continue. */
function finish(step: Step): void {
  update(step, { life: 'over' });
  settle(step, step.state.opening, closedError());
  update(step, { opening: undefined });
  clearTimers(step, 'heartbeat', 'settle', 'checkLater', 'unclear', 'seal', 'quiet', 'grace');
  ending.dropEnding(step);
  step.effects.push({ kind: 'tellEnded' });
  if (!step.state.abandoned) step.effects.push({ kind: 'closeStream' });
}

function settleWhenDone(step: Step): void {
  const { abandoned, stop } = step.state;
  if (abandoned || stop || approvals.openApprovals(step.state).length > 0) return;
  update(step, { life: 'settled' });
  step.effects.push({ kind: 'closeStream' }, { kind: 'tellSettled' });
}

/** Stops all remaining work immediately. */
function giveUp(step: Step): void {
  approvals.forgetApprovals(step);
  abandoned.attendTurn(step);
  if (step.state.stop) ending.dropStop(step);
}
