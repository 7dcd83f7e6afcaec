import { RequestError } from '@agentclientprotocol/sdk';
import { BackendError, type BackendErrorCode, isBackendError } from '../../../session/common/sessionBackend';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';

const authRequiredCode = -32000;

const codes = new Map<number, BackendErrorCode>([
  [authRequiredCode, 'authRequired'],
  [-32601, 'unsupported'],
  [-32602, 'invalidRequest'],
  [-32002, 'notFound'],
  [-32800, 'cancelled'],
]);

/** Converts errors of an agent to BackendErrors; a lost connection becomes `closed`. */
export function toBackendError(error: unknown, agentTitle: string): BackendError {
  if (isBackendError(error)) return error;
  if (error instanceof ConnectionClosedError) {
    return new BackendError('closed', `${agentTitle} has ended.`, error.message, { cause: error });
  }
  if (error instanceof TimeoutError) {
    return new BackendError('timeout', `${agentTitle} did not answer: ${error.message}.`, undefined, { cause: error });
  }
  if (!(error instanceof RequestError)) {
    return new BackendError('protocol', `${agentTitle}: ${messageOf(error)}`, undefined, { cause: error });
  }
  const code = codes.get(error.code) ?? 'backend';
  const details = error.data === undefined ? undefined : JSON.stringify(error.data);
  return new BackendError(code, `${agentTitle}: ${error.message} (${error.code})`, details, { cause: error });
}

export function isAuthRequired(error: unknown): boolean {
  return error instanceof RequestError && error.code === authRequiredCode;
}
