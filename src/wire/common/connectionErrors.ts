import type { StreamClosed } from './messageStream';

/** Error codes from JSON-RPC 2.0, section 5.1. */
export const rpcErrorCode = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** A JSON-RPC error response, thrown by handlers to send it and by requests that receive it. */
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

export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
  constructor(readonly closed: StreamClosed) {
    super(`The connection is closed: ${wordsOf(closed)}`, { cause: closed.error });
  }
}

function wordsOf({ reason, error }: StreamClosed): string {
  switch (reason) {
    case 'ended':
      return 'ended by the peer';
    case 'disposed':
      return 'stopped by Backline';
    case 'failed':
      return error?.message ?? 'unknown error';
  }
}
