import { messageOf } from '../../../base/common/errors';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { isMissingRoute } from '../api/apiErrors';
import type { SessionStatus } from '../api/apiSchema';
import { abandonTurn } from './abandonedTurn';
import { denyAllApprovals, isDenying } from './approvalTable';
import { stopPrompt } from './prompts';
import type { Call, StopWay } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isRealDialect, isSessionBusy, isTurnOpen, type Ending } from './clientState';
import {
  beginCancel,
  clearTimers,
  isUnknownSession,
  log,
  notice,
  promptGraceMs,
  setTimer,
  settle,
  update,
  type Step,
} from './sessionStep';
import { endSession, endTurn, hearEvent } from './turns';

/** Time limit for denying approvals before the turn is stopped. */
const denyMs = 2000;

/** `sessionEnded`: the session had to be ended. `goesOn`: the turn cannot be stopped. `notStopped`: the result is unknown. */
type StopOutcome = 'turnEnded' | 'sessionEnded' | 'goesOn' | 'notStopped';

/** Denies approvals and stops the turn within one time limit, and reports the outcome. */
export function cancelTurn(step: Step, call: Call): void {
  if (step.state.life === 'open' && isSessionBusy(step.state)) beginCancel(step, call);
  else settle(step, call);
}

/** Denies approvals, stops the turn and ends the session on the server within one time limit. */
export function closeSession(step: Step, call: Call): void {
  const { life, ending, limits } = step.state;
  if (life !== 'open') {
    settle(step, call);
    return;
  }
  const { stage = 'prompt', isCancel = false, calls = [], heldEnd } = ending ?? {};
  update(step, { ending: { stage, isCancel, isClose: true, calls: [...calls, call], heldEnd } });
  if (!ending) setTimer(step, 'endingStage', promptGraceMs);
  setTimer(step, 'endingDeadline', limits.closeTimeoutMs);
}

/** Moves on to the next stage once the current one is complete. */
export function advanceEnding(step: Step): void {
  const { ending, prompt, stop } = step.state;
  if (ending?.stage === 'prompt') {
    stopPrompt(step);
    if (step.state.prompt.kind === 'none' || (prompt.kind === 'posting' && prompt.isLate)) beginDenying(step, ending);
  } else if (ending?.stage === 'denying' && !isDenying(step.state)) {
    beginStopping(step, ending);
  }
  if (stop?.stage === 'grace' && !stop.isLeft && hasEnded(step)) stopEnded(step, 'turnEnded');
}

/** The current stage takes too long. */
export function endingStageTimer(step: Step): void {
  const { ending } = step.state;
  if (ending?.stage === 'prompt') waitNoLonger(step);
  else if (ending?.stage === 'denying') beginStopping(step, ending);
}

export function endingDeadline(step: Step): void {
  const { ending, stop } = step.state;
  if (!ending) return;
  step.effects.push({ kind: 'abort', purpose: 'stop' });
  if (ending.stage === 'closing') {
    closeEnded(step, new Error('it took too long'));
    return;
  }
  log(step, 'warn', 'could not stop the turn in time');
  waitNoLonger(step);
  if (stop) dropStop(step);
  conclude(step, ending, 'notStopped');
}

/** If the server still accepts the prompt, its turn is stopped then. */
function waitNoLonger(step: Step): void {
  const { prompt } = step.state;
  if (prompt.kind === 'posting') update(step, { prompt: { ...prompt, isLate: true } });
}

/** Holds back a `session:end` until its cause has been reported. Returns whether it did. */
export function holdsEnd(step: Step, event: SessionEvent): boolean {
  const { ending } = step.state;
  if (event.event !== 'session:end' || !ending?.isCancel) return false;
  update(step, { ending: { ...ending, heldEnd: event } });
  return true;
}

/** The request to stop the turn was sent or failed. */
export function stopTold(step: Step, way: StopWay, error: unknown): void {
  const { stop, limits } = step.state;
  if (stop?.stage !== 'telling') return;
  if (error === undefined) {
    update(step, { stop: { ...stop, stage: 'grace' } });
    setTimer(step, 'stopGrace', limits.cancelGraceMs);
  } else if (way === 'route' && isMissingRoute(error)) {
    step.effects.push({ kind: 'tell', way: 'control' });
  } else {
    askWhetherStopped(step);
  }
}

export function askWhetherStopped(step: Step): void {
  const { stop } = step.state;
  if (!stop) return;
  update(step, { stop: { ...stop, stage: 'asking' } });
  step.effects.push({ kind: 'askStatus', purpose: { kind: 'stop' }, timeoutMs: undefined });
}

export function stopStatus(step: Step, { status }: SessionStatus): void {
  const { stop } = step.state;
  if (stop?.stage !== 'asking') return;
  // The turn's last events may have been lost.
  if (status === 'idle') stopEnded(step, 'turnEnded');
  else if (isRealDialect(step.state))
    stopEnded(step, status === 'error' || status === 'stopped' ? 'turnEnded' : 'goesOn');
  else {
    update(step, { stop: { ...stop, stage: 'deleting' } });
    step.effects.push({ kind: 'delete', purpose: 'stop', timeoutMs: undefined });
  }
}

/** Result of deleting the session, or failure of the status request. */
export function stopAnswered(step: Step, error: unknown): void {
  const { stop } = step.state;
  if (stop?.stage !== 'asking' && stop?.stage !== 'deleting') return;
  if (error === undefined || isUnknownSession(error)) {
    stopEnded(step, 'sessionEnded');
    return;
  }
  log(step, 'warn', `could not stop the turn: ${messageOf(error)}`);
  stopEnded(step, 'notStopped');
}

/** Result of deleting the session for a close. */
export function closeEnded(step: Step, error: unknown): void {
  const { ending } = step.state;
  if (ending?.stage !== 'closing') return;
  if (error !== undefined) {
    log(step, 'debug', `could not end it: ${messageOf(error)}`);
    abandonTurn(step, { isDiscarded: true });
  }
  endSession(step, { reason: 'user_stopped' });
}

/** Settles the calls that wait for the end. Continues to stop an abandoned turn only. */
export function dropEnding(step: Step): void {
  const { ending, stop, abandoned } = step.state;
  if (stop && abandoned?.isStopped) update(step, { stop: { ...stop, isLeft: true } });
  else if (stop && !stop.isLeft) dropStop(step);
  if (!ending) return;
  update(step, { ending: undefined });
  clearTimers(step, 'endingStage', 'endingDeadline');
  for (const call of ending.calls) settle(step, call);
}

export function dropStop(step: Step): void {
  update(step, { stop: undefined });
  clearTimers(step, 'stopGrace');
}

function beginDenying(step: Step, ending: Ending): void {
  if (!isTurnOpen(step.state)) {
    conclude(step, ending, 'nothing');
    return;
  }
  update(step, { ending: { ...ending, stage: 'denying' } });
  setTimer(step, 'endingStage', denyMs);
  // A server may treat a time-out as permission.
  denyAllApprovals(step);
}

function beginStopping(step: Step, ending: Ending): void {
  clearTimers(step, 'endingStage');
  update(step, { ending: { ...ending, stage: 'stopping' } });
  if (step.state.stop) return;
  if (hasEnded(step)) {
    stopEnded(step, 'turnEnded');
    return;
  }
  update(step, { stop: { stage: 'telling', isLeft: false } });
  step.effects.push({ kind: 'tell', way: 'route' });
}

function stopEnded(step: Step, outcome: StopOutcome): void {
  dropStop(step);
  const { ending } = step.state;
  if (ending?.stage === 'stopping') conclude(step, ending, outcome);
}

function conclude(step: Step, ending: Ending, outcome: StopOutcome | 'nothing'): void {
  const { isCancel, isClose, heldEnd, calls } = ending;
  const isOver = outcome === 'goesOn' || outcome === 'sessionEnded';
  const isLeft = outcome === 'goesOn' || (isClose && outcome === 'notStopped');
  if (isLeft) abandonTurn(step, { isDiscarded: true });
  if (isCancel && outcome !== 'nothing') {
    endTurn(step, 'cancelled');
    if (outcome !== 'turnEnded') notice(step, 'warning', sessionMessages[outcome]);
  }
  if (isClose && !heldEnd && !isOver && !isLeft) {
    update(step, { ending: { ...ending, stage: 'closing', isCancel: false } });
    step.effects.push({ kind: 'delete', purpose: 'close', timeoutMs: undefined });
    return;
  }
  clearTimers(step, 'endingStage', 'endingDeadline');
  update(step, { ending: undefined });
  for (const call of calls) settle(step, call);
  if (isOver || isClose) endSession(step, { reason: 'user_stopped' });
  else if (heldEnd) hearEvent(step, heldEnd);
}

function hasEnded({ state }: Step): boolean {
  return !isTurnOpen(state) || state.ending?.heldEnd !== undefined;
}
