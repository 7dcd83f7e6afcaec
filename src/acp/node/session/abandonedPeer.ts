import { RequestError } from '@agentclientprotocol/sdk';
import { rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { SessionPeer } from '../connection/agentClient';

const refuse = (): Promise<never> =>
  Promise.reject(new RequestError(rpcErrorCode.internalError, 'The user has stopped this turn.'));

/** Takes the place of a session whose turn was stopped but does not end: drops its updates and refuses its requests. */
export const abandonedPeer: SessionPeer = {
  isAbandoned: true,
  files: { read: refuse, write: refuse },
  terminals: {
    create: refuse,
    output: (terminalId) => {
      throw RequestError.resourceNotFound(terminalId);
    },
    waitForExit: refuse,
    kill: refuse,
    release: refuse,
  },
  handleUpdate: () => undefined,
  requestPermission: () => Promise.resolve({ outcome: 'cancelled' }),
  handleDisconnect: () => undefined,
};
