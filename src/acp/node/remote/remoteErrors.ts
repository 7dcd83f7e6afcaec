import { errorCode } from '../../../base/common/errors';
import { certificateProblemOf, proxyProblemOf, proxySignInAdvice } from '../../../wire/common/connectionProblem';

type RemoteFailure =
  | 'unreachable'
  | 'certificate'
  | 'refused'
  | 'notAnAgent'
  | 'redirect'
  | 'lost'
  | 'failed'
  | 'silent'
  | 'tooLarge'
  | 'busy';

/** Why there is no connection to a remote agent. The message is a sentence for the user. */
export class RemoteAgentError extends Error {
  override readonly name = 'RemoteAgentError';
  constructor(
    readonly failure: RemoteFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the agent itself may have ended, not only the connection to its server. */
  get mayMeanAgentEnded(): boolean {
    return this.failure === 'lost' || this.failure === 'failed';
  }
}

/**
 * Explains an error of a connection. The text of other errors is not used, because it may contain data from the server.
 * `where` is the URL without its secret parts.
 */
export function toRemoteError(error: unknown, where: string, wasOpen: boolean): RemoteAgentError {
  if (error instanceof RemoteAgentError) return error;
  const status = statusIn(error);
  if (status !== undefined) return statusError(status, where);
  const code = errorCode(error);
  const proxyProblem = proxyProblemOf(error);
  if (proxyProblem !== undefined) {
    return new RemoteAgentError('unreachable', `No connection to ${where}. ${proxyProblem}`, { cause: error });
  }
  const problem = certificateProblemOf(code);
  if (problem) {
    const message = `Nothing was sent to ${where}: its certificate ${problem.what}. ${problem.advice}`;
    return new RemoteAgentError('certificate', message, { cause: error });
  }
  if (
    code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ||
    (error instanceof Error && error.name === 'MessageTooLargeError')
  ) {
    return new RemoteAgentError('tooLarge', `${where} sent a message that is too large.`, { cause: error });
  }
  if (code === undefined && !wasOpen) {
    const message = `${where} does not respond like an agent. Check that it is the URL of an agent.`;
    return new RemoteAgentError('notAnAgent', message, { cause: error });
  }
  const reason = code ?? 'unknown reason';
  return wasOpen || code === 'ECONNRESET' || code === 'EPIPE'
    ? new RemoteAgentError('lost', `The connection to ${where} was lost (${reason}).`, { cause: error })
    : new RemoteAgentError('unreachable', `No agent answers at ${where} (${reason}). Check the URL and the network.`, {
        cause: error,
      });
}

export function statusError(status: number, where: string): RemoteAgentError {
  if (status >= 300 && status < 400) {
    const message = `${where} redirects to another URL (${status}). Backline does not follow redirects, so that secrets are not sent to other servers. Enter the final URL.`;
    return new RemoteAgentError('redirect', message);
  }
  if (status === 401 || status === 403) {
    const message = `${where} refused the connection (${status}). Check the agent’s headers, and its secrets with "Backline: Manage Agent Keys…".`;
    return new RemoteAgentError('refused', message);
  }
  if (status === 407) {
    return new RemoteAgentError('refused', `The proxy refused the connection to ${where} (407). ${proxySignInAdvice}`);
  }
  if (status === 404 || status === 405 || status === 410 || status === 426) {
    const message = `No agent was found at ${where}, or it has closed this connection (${status}). Check the URL.`;
    return new RemoteAgentError('notAnAgent', message);
  }
  if (status === 500) {
    return new RemoteAgentError('failed', `The agent at ${where} has failed (500). Check the log of its server.`);
  }
  if (status === 429 || status > 500) {
    return new RemoteAgentError('busy', `${where} is currently unavailable (${status}). Try again later.`);
  }
  return new RemoteAgentError(
    'notAnAgent',
    `${where} responded with status ${status}. Check that it is the URL of an agent.`,
  );
}

/** Returns the HTTP status in an error of the SDK. */
function statusIn(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}
