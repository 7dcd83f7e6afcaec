import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Logger } from '../../../base/common/log';
import { ConnectionClosedError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { MessageStream } from '../../../wire/common/messageStream';
import { DampedLog } from '../../common/dampedLog';
import { TrafficRecorder, type RecorderOptions } from '../trafficRecorder';

interface SdkStreamOptions extends RecorderOptions {
  readonly log: Logger;
  /** Gets the params of each `session/update`, at once and in order. */
  readonly onUpdate: (params: unknown) => void;
}

/** Requests of the agent that wait for our answer at the same time; what is more is answered with an error at once. */
const maxOpenRequests = 64;
const { internalError, invalidRequest } = rpcErrorCode;

/**
 * Our transport as the SDK wants it. Two things do not go through the SDK: `session/update`, which it would parse
 * strictly and hand on out of order with answers, and answers that nobody waits for, which it would print.
 * Disposing the MessageStream stays with the caller.
 */
export function sdkStream(stream: MessageStream, options: SdkStreamOptions): Stream {
  const { log, onUpdate } = options;
  const damped = new DampedLog(log);
  const traffic = new TrafficRecorder(options);

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const subscriptions = [
        stream.onMessage((message) => {
          const { method, id } = message;
          const refusal = refusalOf(message, traffic.openRequests);
          if (refusal) {
            damped.warn('Refused a request', ` (${refusal.message})`);
            stream.send({ jsonrpc: '2.0', id, error: refusal }).catch((error: unknown) => {
              log.debug(`Could not refuse a request: ${String(error)}`);
            });
            return;
          }
          const isAwaited = traffic.inbound(message) !== undefined;
          if (method === 'session/update' && id === undefined) onUpdate(message['params']);
          else if (isForSdk(message, isAwaited)) controller.enqueue(message);
          else damped.warn('Ignored an answer that nothing asked for', ` (${JSON.stringify({ id }).slice(0, 60)})`);
        }),
        stream.onNoise(({ kind, bytes, excerpt }) => {
          const what = kind === 'tooLong' ? 'a line that is too long' : 'a line that is no JSON object';
          // The beginning of a message may hold a prompt or a key.
          const shown = excerpt.trimStart().startsWith('{') ? '' : `: ${excerpt}`;
          damped.warn(`Skipped ${what}`, ` (${bytes} bytes)${shown}`);
        }),
        stream.onDidClose((closed) => {
          for (const subscription of subscriptions) subscription.dispose();
          controller.error(new ConnectionClosedError(closed));
        }),
      ];
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      traffic.outbound({ ...message });
      await stream.send(message);
    },
  });
  return { readable, writable };
}

function refusalOf(
  { id, method }: Record<string, unknown>,
  open: ReadonlyMap<unknown, unknown>,
): { code: number; message: string } | undefined {
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  if (open.has(id)) return { code: invalidRequest, message: 'A request with this id is still being answered.' };
  if (open.size < maxOpenRequests) return undefined;
  return { code: internalError, message: `At most ${maxOpenRequests} requests may be open. Wait for answers first.` };
}

/** Calls, of which the SDK answers those that are not well formed, and answers that are waited for. */
function isForSdk(message: Record<string, unknown>, isAwaited: boolean): message is AnyMessage {
  if (typeof message['method'] !== 'string' && !isAwaited) return false;
  message['jsonrpc'] = '2.0';
  return true;
}
