import { RequestError } from '@agentclientprotocol/sdk';
import { BackendError, type BackendErrorCode, isBackendError } from '../../../session/common/sessionBackend';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { isSignInError, sentenceOfAgentError } from '../../common/session/agentErrorText';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';

const authRequiredCode = -32000;

const codes = new Map<number, BackendErrorCode>([
  [authRequiredCode, 'authRequired'],
  [-32601, 'unsupported'],
  [-32602, 'invalidRequest'],
  [-32002, 'notFound'],
  [-32800, 'cancelled'],
]);

/** Converts errors of an agent to BackendErrors. A lost connection becomes `closed`. */
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
  const code = codes.get(error.code) ?? (isSignInError(error) ? 'authRequired' : 'backend');
  const data = error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`;
  const details = `Error ${error.code}: ${error.message}${data}`;
  return new BackendError(code, sentenceOfAgentError(agentTitle, error), details, { cause: error });
}

export function isAuthRequired(error: unknown): boolean {
  return error instanceof RequestError && error.code === authRequiredCode;
}
