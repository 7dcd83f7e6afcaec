import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Logger } from '../../base/common/log';
import { ConnectionClosedError } from '../../wire/common/connectionErrors';
import type { MessageStream } from '../../wire/common/messageStream';
import type { TrafficTap } from '../../wire/common/traffic';
import { DampedLog } from '../common/dampedLog';

export interface SdkStreamOptions {
  readonly log: Logger;
  readonly tap: TrafficTap;
  /** The agent's name in the traffic log. */
  readonly peer: string;
  readonly now: () => number;
  /** Gets the params of each `session/update`, at once and in order. */
  readonly onUpdate: (params: unknown) => void;
}

interface Sent {
  readonly method: string;
  readonly timeMs: number;
}

/** Requests of the agent that wait for our answer at the same time; what is more is answered with an error at once. */
const maxOpenRequests = 64;
const invalidRequest = -32600;
const internalError = -32603;

/**
 * Our transport as the SDK wants it. Two things do not go through the SDK: `session/update`, which it would parse
 * strictly and hand on out of order with answers, and answers that nobody waits for, which it would print.
 * Disposing the MessageStream stays with the caller.
 */
export function sdkStream(stream: MessageStream, options: SdkStreamOptions): Stream {
  const { log, onUpdate } = options;
  const damped = new DampedLog(log);
  const sent = new Map<unknown, Sent>();
  const received = new Map<unknown, Sent>();
  const traffic = new TrafficRecorder(options, sent, received);

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const subscriptions = [
        stream.onMessage((message) => {
          const { method, id } = message;
          const refusal = refusalOf(message, received);
          if (refusal) {
            damped.warn('Refused a request', ` (${refusal.message})`);
            stream.send({ jsonrpc: '2.0', id, error: refusal }).catch((error: unknown) => {
              log.debug(`Could not refuse a request: ${String(error)}`);
            });
            return;
          }
          traffic.inbound(message);
          if (method === 'session/update' && id === undefined) onUpdate(message['params']);
          else if (isCall(message) || isAnswer(message, sent)) controller.enqueue(message);
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
      traffic.outbound(message);
      await stream.send(message);
    },
  });
  return { readable, writable };
}

function refusalOf(
  { id, method }: Record<string, unknown>,
  open: ReadonlyMap<unknown, Sent>,
): { code: number; message: string } | undefined {
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  if (open.has(id)) return { code: invalidRequest, message: 'A request with this id is still being answered.' };
  if (open.size < maxOpenRequests) return undefined;
  return { code: internalError, message: `At most ${maxOpenRequests} requests may be open. Wait for answers first.` };
}

/** Requests and notifications; the SDK answers those that are not well formed. */
function isCall(message: Record<string, unknown>): message is AnyMessage {
  if (typeof message['method'] !== 'string') return false;
  message['jsonrpc'] = '2.0';
  return true;
}

function isAnswer(message: Record<string, unknown>, sent: Map<unknown, Sent>): message is AnyMessage {
  if (message['method'] !== undefined || !sent.delete(message['id'])) return false;
  message['jsonrpc'] = '2.0';
  return true;
}

/** Tells the tap the name, size and time of each message, never what is in it. */
class TrafficRecorder {
  constructor(
    private readonly options: SdkStreamOptions,
    private readonly sent: Map<unknown, Sent>,
    private readonly received: Map<unknown, Sent>,
  ) {}

  inbound(message: Record<string, unknown>): void {
    this.record('in', message, this.received, this.sent);
  }

  outbound(message: object): void {
    this.record('out', { ...message }, this.sent, this.received);
  }

  private record(
    direction: 'in' | 'out',
    message: Record<string, unknown>,
    asked: Map<unknown, Sent>,
    answered: Map<unknown, Sent>,
  ): void {
    const { tap, peer, now } = this.options;
    const { id, method } = message;
    const request = typeof method === 'string' ? undefined : answered.get(id);
    if (typeof method === 'string' && (typeof id === 'string' || typeof id === 'number'))
      asked.set(id, { method, timeMs: now() });
    // What we asked is forgotten when the answer has been let through, what the agent asked right here.
    if (direction === 'out' && request) answered.delete(id);
    if (!tap.isOpen) return;
    const name = typeof method === 'string' ? method : (request?.method ?? 'answer');
    const bytes = Buffer.byteLength(JSON.stringify(message)) + 1;
    const code = errorCodeOf(message['error']);
    tap.record({
      protocol: 'acp',
      direction,
      peer,
      method: name,
      bytes,
      ...(request ? { ms: now() - request.timeMs } : {}),
      ...(code === undefined ? {} : { error: code }),
    });
  }
}

function errorCodeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
