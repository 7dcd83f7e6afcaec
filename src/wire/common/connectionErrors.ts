import type { StreamClosed } from './messageStream';

/** JSON-RPC 2.0, section 5.1. */
export const rpcErrorCode = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The error of an answer. Thrown by a handler it goes to the peer as it is; from a request it is what the peer said. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** There is no connection any more, so there will be no answer. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
  constructor(readonly closed: StreamClosed) {
    super(`The connection is closed: ${wordsOf(closed)}`, { cause: closed.error });
  }
}

function wordsOf({ reason, error }: StreamClosed): string {
  switch (reason) {
    case 'ended':
      return 'the other side ended it';
    case 'disposed':
      return 'it was stopped here';
    case 'failed':
      return error?.message ?? 'it failed';
  }
}
