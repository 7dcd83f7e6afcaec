import type * as z from 'zod';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { RpcError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import { JsonRpcPeer, type RequestHandler, type RpcRequestOptions } from '../../../wire/common/jsonRpcPeer';
import type { MessageStream } from '../../../wire/common/messageStream';
import { draftMethodNames, draftMethods, type DraftMethod, type DraftParams, type DraftResult } from './draftSchema';

type DraftHandler<Method extends DraftMethod> = (
  params: DraftParams<Method>,
  signal: AbortSignal,
) => Promise<DraftResult<Method>>;

/** Handlers for calls of the peer. A method without a handler is answered with -32601, a thrown error with -32603. */
export type DraftHandlers = { readonly [Method in DraftMethod]?: DraftHandler<Method> };

interface DraftConnectionDeps {
  readonly stream: MessageStream;
  readonly handlers: DraftHandlers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One end of a draft-protocol connection. Either end may call any of the ten methods; all messages are validated. */
export class DraftConnection implements Disposable {
  private readonly peer: JsonRpcPeer;

  constructor({ stream, handlers, clock, log }: DraftConnectionDeps) {
    this.peer = new JsonRpcPeer({ stream, handlers: toRequestHandlers(handlers), writesVersion: false, clock, log });
  }

  start(): void {
    this.peer.start();
  }

  /** @throws RpcError from the peer, or -32603 for an invalid result; TimeoutError; ConnectionClosedError */
  async call<Method extends DraftMethod>(
    method: Method,
    params: DraftParams<Method>,
    options?: RpcRequestOptions,
  ): Promise<DraftResult<Method>> {
    const result = draftMethods[method].result.safeParse(await this.peer.request(method, params, options));
    if (result.success) return result.data;
    throw new RpcError(
      rpcErrorCode.internalError,
      `The result of '${method}' is not valid: ${issuesText(result.error)}`,
    );
  }

  /** Rejects pending calls. Does not close the stream. */
  dispose(): void {
    this.peer.dispose();
  }
}

function toRequestHandlers(handlers: DraftHandlers): ReadonlyMap<string, RequestHandler> {
  const map = new Map<string, RequestHandler>();
  const add = <Method extends DraftMethod>(method: Method): void => {
    const handler: DraftHandler<Method> | undefined = handlers[method];
    if (!handler) return;
    map.set(method, async (params, { signal }) => {
      const checked = draftMethods[method].params.safeParse(params);
      if (checked.success) return await handler(checked.data, signal);
      throw new RpcError(rpcErrorCode.invalidParams, `Invalid params of '${method}' - ${issuesText(checked.error)}`);
    });
  };
  draftMethodNames.forEach((method) => add(method));
  return map;
}

function issuesText({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
}
