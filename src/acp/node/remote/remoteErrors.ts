import { errorCode } from '../../../base/common/errors';
import { describeCertificateProblem } from '../../../base/node/certificateProblem';

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

/** Why there is no connection to a remote agent, as a sentence that begins with "The agent …" or names what to do. */
export class RemoteAgentError extends Error {
  override readonly name = 'RemoteAgentError';
  constructor(
    readonly failure: RemoteFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the agent behind the server may have ended by itself. */
  get isOfAgent(): boolean {
    return this.failure === 'lost' || this.failure === 'failed';
  }
}

/**
 * Explains an error of a connection. The text of other errors is not used, because it may contain what the server sent.
 * `where` is the URL as it may be shown.
 */
export function toRemoteError(error: unknown, where: string, wasOpen: boolean): RemoteAgentError {
  if (error instanceof RemoteAgentError) return error;
  const status = statusIn(error);
  if (status !== undefined) return statusError(status, where);
  const code = errorCode(error);
  const problem = describeCertificateProblem(code);
  if (problem !== undefined) {
    const message = `Nothing was sent to ${where}: its certificate ${problem}.`;
    return new RemoteAgentError('certificate', message, { cause: error });
  }
  if (
    code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ||
    (error instanceof Error && error.name === 'MessageTooLargeError')
  ) {
    return new RemoteAgentError('tooLarge', `${where} sent a message that is too large.`, { cause: error });
  }
  if (code === undefined && !wasOpen) {
    const message = `${where} does not answer like an agent. Check that it is the URL of an agent.`;
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
    const message = `${where} redirects to another URL (${status}). Backline does not follow, to keep secrets where they belong. Enter the final URL.`;
    return new RemoteAgentError('redirect', message);
  }
  if (status === 401 || status === 403) {
    const message = `${where} refused the connection (${status}). Check the headers of the agent and its secret with "Backline: Manage Agent Keys…".`;
    return new RemoteAgentError('refused', message);
  }
  if (status === 407) {
    return new RemoteAgentError(
      'refused',
      `The proxy refused the connection to ${where} (407). Check the proxy settings of VS Code.`,
    );
  }
  if (status === 404 || status === 405 || status === 410 || status === 426) {
    const message = `There is no agent at ${where}, or it has forgotten this connection (${status}). Check the URL.`;
    return new RemoteAgentError('notAnAgent', message);
  }
  if (status === 500) {
    return new RemoteAgentError('failed', `The agent at ${where} has failed (500). The log of its server may say why.`);
  }
  if (status === 429 || status > 500) {
    return new RemoteAgentError('busy', `${where} cannot serve the agent now (${status}). Try again later.`);
  }
  return new RemoteAgentError(
    'notAnAgent',
    `${where} answered with status ${status}. Check that it is the URL of an agent.`,
  );
}

/** The SDK's errors for HTTP answers have a status. */
function statusIn(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}
