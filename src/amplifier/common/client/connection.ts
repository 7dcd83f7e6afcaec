import { isTransportError, type AmplifierApiError } from '../api/apiErrors';
import { abandonTurn, attendTurn } from './abandonedTurn';
import type { SessionInput } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { isOwn, isUnattended } from './clientState';
import { check, clearTimers, isUnknownSession, log, notice, setTimer, settle, update, type Step } from './sessionStep';
import { endCheck, expectAgainOnConnection } from './statusWatch';
import { endSession, failTurn, interruptTurn } from './turns';

export function connected(step: Step): void {
  const { connection, opening } = step.state;
  // The grace timer continues: the connection may not last.
  update(step, { connection: { ...connection, isConnected: true }, opening: undefined });
  attendTurn(step);
  expectAgainOnConnection(step);
  step.effects.push({ kind: 'tellConnected' });
  settle(step, opening);
  check(step);
}

export function reconnecting(step: Step, { attempt, delayMs }: SessionInput<'reconnecting'>): void {
  const { connection, limits } = step.state;
  log(step, 'info', `connecting again in ${delayMs} ms (attempt ${attempt})`);
  step.effects.push({ kind: 'tellReconnecting', attempt, delayMs });
  // Short-lived connections do not restart the timer.
  if (!connection.hasGrace) setTimer(step, 'grace', limits.reconnectGraceMs);
  update(step, { connection: { isConnected: false, hasGrace: true } });
}

/** The connection is stable. */
export function endGrace(step: Step): void {
  update(step, { connection: { ...step.state.connection, hasGrace: false } });
  clearTimers(step, 'grace');
}

export function graceTimer(step: Step): void {
  const { isConnected } = step.state.connection;
  update(step, { connection: { isConnected, hasGrace: false } });
  if (isConnected) return;
  if (isUnattended(step.state)) abandonTurn(step, {});
  interruptTurn(step, 'The connection to the server was lost during this turn.');
}

/** The stream has failed permanently. */
export function streamFailed(step: Step, error: AmplifierApiError): void {
  settle(step, step.state.opening, error);
  update(step, { opening: undefined });
  giveUp(step, error);
}

export function checkFailed(step: Step, error: unknown): void {
  endCheck(step);
  if (step.state.life !== 'open') return;
  if (isUnknownSession(error)) giveUp(step, error);
  else if (isTransportError(error)) step.effects.push({ kind: 'reconnect' });
}

function giveUp(step: Step, error: AmplifierApiError): void {
  const isRestart = error.code === 'SESSION_NOT_FOUND';
  const goesOn = !isRestart && isUnattended(step.state);
  if (goesOn) abandonTurn(step, { isStopped: isOwn(step.state) });
  failTurn(step, { error: isRestart ? sessionMessages.restarted : error.toBackendError().message, code: error.code });
  if (goesOn) notice(step, 'warning', sessionMessages.left);
  endSession(step, { reason: isRestart ? 'server_restarted' : 'stream_failed' });
}
