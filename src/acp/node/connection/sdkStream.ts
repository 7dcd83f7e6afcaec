import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Logger } from '../../../base/common/log';
import { ConnectionClosedError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { MessageStream } from '../../../wire/common/messageStream';
import { ThrottledLog } from '../../common/throttledLog';
import { TrafficRecorder, type RecorderOptions } from '../trafficRecorder';

interface SdkStreamOptions extends RecorderOptions {
  readonly log: Logger;
  /** Called with the params of each `session/update`, synchronously and in order. */
  readonly onUpdate: (params: unknown) => void;
}

/** Maximum number of unanswered requests from the agent. Further requests are answered with an error. */
const maxOpenRequests = 64;
const { internalError, invalidRequest } = rpcErrorCode;

/**
 * Adapts a message stream to the SDK. `session/update` bypasses the SDK to keep the order of messages, and unexpected
 * answers are dropped.
 */
export function createSdkStream(stream: MessageStream, options: SdkStreamOptions): Stream {
  const { log, onUpdate } = options;
  const throttledLog = new ThrottledLog(log);
  const traffic = new TrafficRecorder(options);

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const subscriptions = [
        stream.onMessage((message) => {
          const { method, id } = message;
          const refusal = refusalOf(message, traffic.receivedRequests);
          if (refusal) {
            throttledLog.warn('Refused a request', ` (${refusal.message})`);
            stream.send({ jsonrpc: '2.0', id, error: refusal }).catch((error: unknown) => {
              log.debug(`Could not refuse a request: ${String(error)}`);
            });
            return;
          }
          const isAwaited = traffic.recordInbound(message) !== undefined;
          if (method === 'session/update' && id === undefined) onUpdate(message['params']);
          else if (isForSdk(message, isAwaited)) controller.enqueue(message);
          else throttledLog.warn('Ignored an unexpected answer', ` (${JSON.stringify({ id }).slice(0, 60)})`);
        }),
        stream.onNoise(({ kind, bytes, excerpt }) => {
          const what = kind === 'tooLong' ? 'a line that is too long' : 'a line that is not a message';
          // Malformed messages are not logged, because they may contain a prompt or a key.
          const shown = /^\s*\[?\s*\{/.test(excerpt) ? '' : `: ${excerpt}`;
          throttledLog.warn(`Skipped ${what}`, ` (${bytes} bytes)${shown}`);
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
      traffic.recordOutbound({ ...message });
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

/**
 * Whether the SDK should get a message: requests, notifications and expected answers. The SDK also answers malformed
 * requests.
 */
function isForSdk(message: Record<string, unknown>, isAwaited: boolean): message is AnyMessage {
  if (typeof message['method'] !== 'string' && !isAwaited) return false;
  message['jsonrpc'] = '2.0';
  return true;
}
