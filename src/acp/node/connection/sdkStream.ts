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

type Message = Record<string, unknown>;

/** What the agent says after the answer to this belongs after the prompt, which is shown where the answer comes. */
export const steeringMethod = '_session/steering';

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
  /** Messages after an answer that whoever asked has not seen yet: the SDK passes answers on later than updates come. */
  let held: Message[] | undefined;

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const receive = (message: Message): void => {
        const { method, id } = message;
        const refusal = refusalOf(message, traffic.receivedRequests);
        if (refusal) {
          throttledLog.warn('Refused a request', ` (${refusal.message})`);
          stream.send({ jsonrpc: '2.0', id, error: refusal }).catch((error: unknown) => {
            log.debug(`Could not refuse a request: ${String(error)}`);
          });
          return;
        }
        const request = traffic.recordInbound(message);
        if (method === 'session/update' && id === undefined) onUpdate(message['params']);
        else if (isForSdk(message, request !== undefined)) controller.enqueue(message);
        else throttledLog.warn('Ignored an unexpected answer', ` (${JSON.stringify({ id }).slice(0, 60)})`);
        if (request?.method !== steeringMethod) return;
        held = [];
        setImmediate(releaseHeld);
      };
      const releaseHeld = (): void => {
        const waiting = held ?? [];
        held = undefined;
        // One of them may be such an answer itself.
        for (const message of waiting) receiveOrHold(message);
      };
      const receiveOrHold = (message: Message): void => {
        if (held) held.push(message);
        else receive(message);
      };
      const subscriptions = [
        stream.onMessage(receiveOrHold),
        stream.onNoise(({ kind, bytes, excerpt }) => {
          const what = kind === 'tooLong' ? 'a line that is too long' : 'a line that is not a message';
          // Malformed messages are not logged, because they may contain a prompt or a key.
          const shown = /^\s*\[?\s*\{/.test(excerpt) ? '' : `: ${excerpt}`;
          throttledLog.warn(`Skipped ${what}`, ` (${bytes} bytes)${shown}`);
        }),
        stream.onDidClose((closed) => {
          for (const subscription of subscriptions) subscription.dispose();
          while (held) releaseHeld();
          controller.error(new ConnectionClosedError(closed));
        }),
      ];
    },
    cancel: () => {
      held = undefined;
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
