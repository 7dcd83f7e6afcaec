import { isTransportError, type AmplifierApiError } from '../api/apiErrors';
import { detachTurn, stopFollowingDetachedTurn } from './detachedTurn';
import type { SessionInput } from './sessionInput';
import { sessionMessages } from './sessionMessages';
import { hasOwnTurn, isResponsibleForApprovals } from './clientState';
import {
  checkStatus,
  clearTimersByKey,
  isSessionNotFound,
  logMessage,
  emitNotice,
  setTimer,
  settleCall,
  updateState,
  type ReducerStep,
} from './reducerStep';
import { endStatusCheck, expectRepeatedApprovals } from './statusChecks';
import { endSession, failTurn, interruptTurn } from './turns';

export function handleConnected(step: ReducerStep): void {
  const { connection, opening } = step.state;
  // The grace timer is not stopped, because the new connection may fail immediately.
  updateState(step, { connection: { ...connection, isConnected: true }, opening: undefined });
  stopFollowingDetachedTurn(step);
  expectRepeatedApprovals(step);
  step.effects.push({ kind: 'reportConnected' });
  settleCall(step, opening);
  checkStatus(step);
}

export function handleReconnecting(step: ReducerStep, { attempt, delayMs }: SessionInput<'reconnecting'>): void {
  const { connection, limits } = step.state;
  logMessage(step, 'info', `connecting again in ${delayMs} ms (attempt ${attempt})`);
  step.effects.push({ kind: 'reportReconnecting', attempt, delayMs });
  // The timer is not restarted, so that short connections cannot extend the time.
  if (!connection.hasGrace) setTimer(step, 'grace', limits.reconnectGraceMs);
  updateState(step, { connection: { isConnected: false, hasGrace: true } });
}

export function endReconnectGrace(step: ReducerStep): void {
  updateState(step, { connection: { ...step.state.connection, hasGrace: false } });
  clearTimersByKey(step, 'grace');
}

export function handleReconnectGraceTimer(step: ReducerStep): void {
  const { isConnected } = step.state.connection;
  updateState(step, { connection: { isConnected, hasGrace: false } });
  if (isConnected) return;
  if (isResponsibleForApprovals(step.state)) detachTurn(step, {});
  interruptTurn(step, 'The connection to the server was lost during this turn.');
}

export function handleStreamGivenUp(step: ReducerStep, error: AmplifierApiError): void {
  settleCall(step, step.state.opening, error);
  updateState(step, { opening: undefined });
  giveUp(step, error);
}

export function handleStatusCheckFailure(step: ReducerStep, error: unknown): void {
  endStatusCheck(step);
  if (step.state.life !== 'open') return;
  if (isSessionNotFound(error)) giveUp(step, error);
  else if (isTransportError(error)) step.effects.push({ kind: 'reconnect' });
}

function giveUp(step: ReducerStep, error: AmplifierApiError): void {
  const isRestart = error.code === 'SESSION_NOT_FOUND';
  const goesOn = !isRestart && isResponsibleForApprovals(step.state);
  if (goesOn) detachTurn(step, { isStopped: hasOwnTurn(step.state) });
  failTurn(step, { error: isRestart ? sessionMessages.restarted : error.toBackendError().message, code: error.code });
  if (goesOn) emitNotice(step, 'warning', sessionMessages.left);
  endSession(step, { reason: isRestart ? 'server_restarted' : 'stream_failed' });
}
