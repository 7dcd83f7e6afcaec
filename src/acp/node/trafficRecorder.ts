import type { Clock } from '../../base/common/async';
import { BoundedMap } from '../../base/common/boundedMap';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { MessageStream } from '../../wire/common/messageStream';
import type { TrafficTap } from '../../wire/common/traffic';

export interface RecorderOptions {
  readonly tap: TrafficTap;
  readonly peer: string;
  readonly clock: Pick<Clock, 'monotonicNow'>;
}

/** A request that waits for its answer. */
interface OpenRequest {
  readonly method: string;
  /** In milliseconds of the monotonic clock. */
  readonly sentAt: number;
}

type Message = Readonly<Record<string, unknown>>;

/** An agent that never answers must not fill the memory. */
const maxOpenRequests = 1000;

/** Follows the open requests of a connection; the tap hears of each message its name, size and time, never what is in it. */
export class TrafficRecorder {
  /** Requests of ours and of the agent's, by their id. */
  private readonly sent = new BoundedMap<unknown, OpenRequest>({ maxEntries: maxOpenRequests });
  private readonly received = new BoundedMap<unknown, OpenRequest>({ maxEntries: maxOpenRequests });

  constructor(private readonly options: RecorderOptions) {}

  /** Of the agent, by their id. */
  get openRequests(): ReadonlyMap<unknown, OpenRequest> {
    return this.received;
  }

  /** The request of ours that the message answers; from now on it counts as answered. */
  inbound(message: Message): OpenRequest | undefined {
    return this.record('in', message, this.received, this.sent);
  }

  /** The request of the agent's that the message answers. */
  outbound(message: Message): OpenRequest | undefined {
    return this.record('out', message, this.sent, this.received);
  }

  private record(
    direction: 'in' | 'out',
    message: Message,
    asked: Map<unknown, OpenRequest>,
    answered: Map<unknown, OpenRequest>,
  ): OpenRequest | undefined {
    const { id, method } = message;
    const isCall = typeof method === 'string';
    const request = method === undefined ? answered.get(id) : undefined;
    if (request) answered.delete(id);
    if (isCall && (typeof id === 'string' || typeof id === 'number'))
      asked.set(id, { method, sentAt: this.options.clock.monotonicNow() });
    if (this.options.tap.isOpen) this.tell(direction, message, isCall ? method : undefined, request);
    return request;
  }

  private tell(
    direction: 'in' | 'out',
    message: Message,
    method: string | undefined,
    request: OpenRequest | undefined,
  ): void {
    const { tap, peer, clock } = this.options;
    tap.record({
      protocol: 'acp',
      direction,
      peer,
      method: method ?? request?.method ?? 'answer',
      bytes: Buffer.byteLength(JSON.stringify(message)) + 1,
      ...withoutUndefined({
        ms: request && clock.monotonicNow() - request.sentAt,
        error: errorCodeOf(message['error']),
      }),
    });
  }
}

function errorCodeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** The same stream, whose messages the tap hears of: name, size and time, never what is in them. Owns what it wraps. */
export function tapStream(stream: MessageStream, options: RecorderOptions): MessageStream {
  const recorder = new TrafficRecorder(options);
  return {
    onNoise: stream.onNoise,
    onDidClose: stream.onDidClose,
    onMessage: (listener) =>
      stream.onMessage((message) => {
        recorder.inbound(message);
        listener(message);
      }),
    send: (message) => {
      recorder.outbound({ ...message });
      return stream.send(message);
    },
    dispose: () => stream.dispose(),
  };
}
