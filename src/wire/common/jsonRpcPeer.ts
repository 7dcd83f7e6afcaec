import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf, TimeoutError } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { ConnectionClosedError, RpcError, rpcErrorCode } from './connectionErrors';
import type { MessageStream, StreamClosed } from './messageStream';

/** Handles a request. Errors are sent to the peer. The signal fires when the connection closes. */
export type RequestHandler = (params: unknown, context: { readonly signal: AbortSignal }) => Promise<unknown>;

interface JsonRpcPeerDeps {
  readonly stream: MessageStream;
  readonly handlers: ReadonlyMap<string, RequestHandler>;
  /** Whether outgoing messages contain `"jsonrpc": "2.0"`. */
  readonly writesVersion: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface RpcRequestOptions {
  /** When it fires, rejects the request without notifying the peer. A later response is ignored. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

const Id = z.union([z.number(), z.string()]);
type Id = z.infer<typeof Id>;
const InboundRequest = z.object({ id: Id, method: z.string(), params: z.unknown().optional() });
const InboundAnswer = z.object({
  id: Id,
  method: z.undefined().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
const InboundError = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One end of a bidirectional JSON-RPC connection. Does not own the stream. */
export class JsonRpcPeer implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly pendingRequests = new Map<Id, Pending>();
  private readonly handlerAbortControllers = new Set<AbortController>();
  private nextRequestId = 0;
  private closeReason: StreamClosed | undefined;

  constructor(private readonly deps: JsonRpcPeerDeps) {}

  start(): void {
    const { stream } = this.deps;
    this.disposables.add(stream.onDidClose((closed) => this.close(closed)));
    this.disposables.add(stream.onMessage((message) => this.handleMessage(message)));
  }

  /** Resolves to the unvalidated result. @throws RpcError (the error response), TimeoutError, ConnectionClosedError */
  async request(method: string, params: unknown, { signal, timeoutMs }: RpcRequestOptions = {}): Promise<unknown> {
    if (this.closeReason) throw new ConnectionClosedError(this.closeReason);
    signal?.throwIfAborted();
    const { clock, stream } = this.deps;
    const id = this.nextRequestId++;
    const wait = new DisposableStore();
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.pendingRequests.set(id, { resolve, reject });
        if (timeoutMs !== undefined) {
          wait.add(clock.setTimer(timeoutMs, () => reject(new TimeoutError(`'${method}'`, timeoutMs))));
        }
        const abort = (): void => reject(toReason(signal));
        signal?.addEventListener('abort', abort);
        wait.add({ dispose: () => signal?.removeEventListener('abort', abort) });
        stream.send(this.toEnvelope({ id, method, params: params ?? null })).catch(reject);
      });
    } finally {
      this.pendingRequests.delete(id);
      wait.dispose();
    }
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
  }

  private close(closed: StreamClosed): void {
    if (this.closeReason) return;
    this.closeReason = closed;
    this.disposables.dispose();
    const error = new ConnectionClosedError(closed);
    for (const pending of this.pendingRequests.values()) pending.reject(error);
    for (const controller of this.handlerAbortControllers) controller.abort(error);
  }

  private handleMessage(message: Record<string, unknown>): void {
    const request = InboundRequest.safeParse(message);
    if (request.success) {
      void this.answerRequest(request.data);
      return;
    }
    const { data: answer } = InboundAnswer.safeParse(message);
    if (!answer || !this.settleRequest(answer)) this.rejectMessage(message);
  }

  /** Returns whether a request waits for the answer. */
  private settleRequest(answer: z.infer<typeof InboundAnswer>): boolean {
    const pending = this.pendingRequests.get(answer.id);
    if (!pending) return false;
    this.pendingRequests.delete(answer.id);
    settle(pending, answer);
    return true;
  }

  private async answerRequest({ id, method, params }: z.infer<typeof InboundRequest>): Promise<void> {
    const controller = new AbortController();
    this.handlerAbortControllers.add(controller);
    try {
      const handler = this.deps.handlers.get(method);
      if (!handler) throw new RpcError(rpcErrorCode.methodNotFound, `Method not found - '${method}'`);
      const result = await handler(params, { signal: controller.signal });
      await this.deps.stream.send(this.toEnvelope({ id, result: result ?? null }));
    } catch (error) {
      // The result may not be serializable, which is also reported as an error.
      await this.sendError(id, errorObject(error));
    } finally {
      this.handlerAbortControllers.delete(controller);
    }
  }

  private async sendError(id: Id, error: object): Promise<void> {
    try {
      await this.deps.stream.send(this.toEnvelope({ id, error }));
    } catch (reason) {
      this.deps.log.debug(`The response to request ${id} could not be sent: ${messageOf(reason)}`);
    }
  }

  private rejectMessage(message: Record<string, unknown>): void {
    const id = Id.safeParse(message['id']);
    if (!id.success || 'result' in message || 'error' in message) {
      this.deps.log.debug(`Ignored an unexpected message (keys: ${Object.keys(message).join(', ')})`);
      return;
    }
    const error = { code: rpcErrorCode.invalidRequest, message: 'Neither a request nor a response' };
    void this.sendError(id.data, error);
  }

  private toEnvelope(message: object): object {
    return this.deps.writesVersion ? { jsonrpc: '2.0', ...message } : message;
  }
}

/** Some peers omit an empty result, or send `"error": null` together with a result. */
function settle(pending: Pending, { result, error }: z.infer<typeof InboundAnswer>): void {
  if (error === undefined || error === null) {
    pending.resolve(result ?? null);
    return;
  }
  const known = InboundError.safeParse(error);
  pending.reject(
    known.success
      ? new RpcError(known.data.code, known.data.message, known.data.data)
      : new RpcError(rpcErrorCode.internalError, 'The peer sent an error without a code and message'),
  );
}

function errorObject(error: unknown): object {
  if (!(error instanceof RpcError)) return { code: rpcErrorCode.internalError, message: messageOf(error) };
  const { code, message, data } = error;
  return { code, message, data };
}

function toReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
