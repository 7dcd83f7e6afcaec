import {
  abandonedDenied,
  abandonedEvent,
  abandonedFailed,
  abandonedStatus,
  abandonTurn,
  advanceAbandoned,
  attendTurn,
  discarded,
  endAbandoned,
  look,
} from './abandonedTurn';
import {
  allowanceJudged,
  answerFailed,
  answerTaken,
  approvalTimer,
  chooseOption,
  forgetApprovals,
  openApprovals,
} from './approvals';
import { heardStream, lookForQuiet, noneBefore } from './approvalTime';
import { checkFailed, connected, endGrace, graceTimer, reconnecting, streamFailed } from './connection';
import {
  advanceEnding,
  askWhetherStopped,
  cancelTurn,
  closeEnded,
  closeSession,
  dropEnding,
  dropStop,
  endingDeadline,
  endingStageTimer,
  holdsEnd,
  stopAnswered,
  stopStatus,
  stopTold,
} from './ending';
import {
  askWhetherIdle,
  beginPrompt,
  failPrompt,
  promptCollected,
  promptFailed,
  promptStatus,
  promptTaken,
} from './prompts';
import type { Call, InputHandlers, InputKind, Moment, PlainTimer, SessionInput, TimerKey } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isOwn, type SessionState } from './sessionState';
import { check, clearTimers, closedError, notice, setTimer, settle, update, type Step } from './sessionStep';
import { beat, checkAnswered, seal, settleTime } from './statusWatch';
import { endTurn, hearEvent } from './turns';

/** What one input makes of a session: its next state, what its readers are told, and what is to be done. */
export function reduceSession(state: SessionState, input: SessionInput, at: Moment): Readonly<Step> {
  const step: Step = { state, at, events: [], effects: [] };
  handle(step, input);
  advance(step);
  return step;
}

function handle<Kind extends InputKind>(step: Step, input: SessionInput<Kind>): void {
  const handlers = step.state.life === 'open' ? whileOpen : afterwards;
  handlers[input.kind](step, input);
}

const ignore = (): void => undefined;
const refuse = (step: Step, { call }: { readonly call: Call }): void => settle(step, call, closedError());
const done = (step: Step, { call }: { readonly call: Call }): void => settle(step, call);

const whileOpen: InputHandlers<Step> = {
  begin: (step) => noneBefore(step, step.at.timeMs),
  resume,
  start,
  prompt: beginPrompt,
  cancel: (step, { call }) => cancelTurn(step, call),
  close: (step, { call }) => closeSession(step, call),
  approve: (step, { call, id, option }) => chooseOption(step, call, id, option),
  notice: (step, { level, message }) => notice(step, level, message),
  dispose: leaveSession,
  giveUp: ignore,
  event: (step, { event }) => (holdsEnd(step, event) ? undefined : hearEvent(step, event)),
  activity: heardStream,
  connected,
  lasting: endGrace,
  reconnecting,
  oversize: (step) => notice(step, 'warning', 'An event of the server was too large and was left out.'),
  // The status may say what waits; where it does not, the turn is stopped.
  lostApproval: check,
  streamFailed: (step, { error }) => streamFailed(step, error),
  status: statusAnswered,
  statusFailed,
  collected: promptCollected,
  promptTaken,
  promptFailed,
  answered,
  told: (step, { way, error }) => stopTold(step, way, error),
  deleted: (step, { purpose, error }) => afterDelete[purpose](step, error),
  timer: (step, { key }) => timer(step, key),
};

/** Readers have heard the last: only what is owed to the server and to callers goes on. */
const afterwards: InputHandlers<Step> = {
  ...whileOpen,
  begin: ignore,
  resume: ignore,
  start: refuse,
  prompt: refuse,
  cancel: done,
  close: done,
  approve: refuse,
  notice: ignore,
  dispose: ignore,
  giveUp,
  event: (step, { event }) => abandonedEvent(step, event),
  activity: ignore,
  connected: ignore,
  lasting: ignore,
  reconnecting: ignore,
  oversize: ignore,
  lostApproval: ignore,
  streamFailed: ignore,
};

const timers: Readonly<Record<PlainTimer, (step: Step) => void>> = {
  heartbeat: beat,
  settle: settleTime,
  checkLater: check,
  unclear: check,
  seal,
  quiet: lookForQuiet,
  grace: graceTimer,
  idleWait: askWhetherIdle,
  endingStage: endingStageTimer,
  endingDeadline,
  stopGrace: askWhetherStopped,
  look,
  abandoned: endAbandoned,
};

const afterDelete = { stop: stopAnswered, close: closeEnded, discard: discarded } as const;

function timer(step: Step, key: TimerKey): void {
  if (isPlain(key)) timers[key](step);
  else approvalTimer(step, key.slice('approval '.length));
}

function isPlain(key: TimerKey): key is PlainTimer {
  return Object.hasOwn(timers, key);
}

function statusAnswered(step: Step, { purpose, status }: SessionInput<'status'>): void {
  if (purpose.kind === 'check' || purpose.kind === 'prompt') {
    if (status.status !== 'awaiting_approval') noneBefore(step, purpose.askedAtMs);
    if (purpose.kind === 'check') checkAnswered(step, purpose, status);
    else promptStatus(step, purpose, status);
  } else if (purpose.kind === 'allowance') allowanceJudged(step, purpose, status);
  else if (purpose.kind === 'stop') stopStatus(step, status);
  else abandonedStatus(step, status);
}

function statusFailed(step: Step, { purpose, error }: SessionInput<'statusFailed'>): void {
  if (purpose.kind === 'check') checkFailed(step, error);
  else if (purpose.kind === 'prompt') failPrompt(step, error);
  else if (purpose.kind === 'allowance') answerFailed(step, purpose.id, purpose.call, error);
  else if (purpose.kind === 'stop') stopAnswered(step, error);
  else abandonedFailed(step, error);
}

function answered(step: Step, { purpose, error }: SessionInput<'answered'>): void {
  if (purpose.kind === 'approval') {
    if (error === undefined) answerTaken(step, purpose);
    else answerFailed(step, purpose.id, purpose.call, error);
  } else if (purpose.kind === 'look') abandonedDenied(step, error);
}

function start(step: Step, { call }: SessionInput<'start'>): void {
  update(step, { opening: call });
  setTimer(step, 'heartbeat', step.state.limits.heartbeatMs);
  step.effects.push({ kind: 'openStream' });
}

/** Goes on with what waited for this, until nothing moves any more. */
function advance(step: Step): void {
  let before;
  do {
    before = step.state;
    if (before.ending || before.stop) advanceEnding(step);
    if (before.abandoned) advanceAbandoned(step);
    if (step.state.life === 'ended') finish(step);
    if (step.state.life === 'over') settleWhenDone(step);
  } while (step.state !== before);
}

/** For a session that ran before it was opened here. A request that waits began with its last activity. */
function resume(step: Step, { status, askedAtMs }: SessionInput<'resume'>): void {
  const { token_usage: soFar, last_event_id: eventId, last_activity: lastActivity } = status;
  if (soFar) update(step, { usage: { ...step.state.usage, soFar } });
  for (const event of status.state) hearEvent(step, event);
  if (eventId !== undefined) step.effects.push({ kind: 'goOnAfter', eventId });
  noneBefore(step, status.status === 'awaiting_approval' ? Date.parse(lastActivity ?? '') : askedAtMs);
}

/** The session stays on the server. A turn that was begun here is stopped, as far as the server lets it be. */
function leaveSession(step: Step): void {
  if (isOwn(step.state)) {
    abandonTurn(step, { isStopped: true });
    notice(step, 'warning', sessionMessages.left);
  }
  endTurn(step, 'interrupted');
  update(step, { life: 'ended' });
}

/** Nobody will answer any more: what waits is denied for as long as that makes sense, a turn that goes on is followed. */
function finish(step: Step): void {
  update(step, { life: 'over' });
  settle(step, step.state.opening, closedError());
  update(step, { opening: undefined });
  clearTimers(step, 'heartbeat', 'settle', 'checkLater', 'unclear', 'seal', 'quiet', 'grace');
  dropEnding(step);
  step.effects.push({ kind: 'tellEnded' });
  if (!step.state.abandoned) step.effects.push({ kind: 'closeStream' });
}

function settleWhenDone(step: Step): void {
  const { abandoned, stop } = step.state;
  if (abandoned || stop || openApprovals(step.state).length > 0) return;
  update(step, { life: 'settled' });
  step.effects.push({ kind: 'closeStream' }, { kind: 'tellSettled' });
}

/** There is no time left. */
function giveUp(step: Step): void {
  forgetApprovals(step);
  attendTurn(step);
  if (step.state.stop) dropStop(step);
}
