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

interface OpenRequest {
  readonly method: string;
  /** Time of the request, in milliseconds of the monotonic clock. */
  readonly sentAtMs: number;
}

type Message = Readonly<Record<string, unknown>>;

/** Maximum number of open requests that are tracked, because some peers never answer. */
const maxOpenRequests = 1000;

/** Tracks open requests. Reports each message's name, size and duration to the tap, but never its contents. */
export class TrafficRecorder {
  private readonly sentRequests = new BoundedMap<unknown, OpenRequest>({ maxEntries: maxOpenRequests });
  readonly receivedRequests = new BoundedMap<unknown, OpenRequest>({ maxEntries: maxOpenRequests });

  constructor(private readonly options: RecorderOptions) {}

  /** Returns Backline's request that the message answers, and marks it as answered. */
  recordInbound(message: Message): OpenRequest | undefined {
    return this.record('in', message, this.receivedRequests, this.sentRequests);
  }

  /** Returns the agent's request that the message answers, and marks it as answered. */
  recordOutbound(message: Message): OpenRequest | undefined {
    return this.record('out', message, this.sentRequests, this.receivedRequests);
  }

  private record(
    direction: 'in' | 'out',
    message: Message,
    openRequests: Map<unknown, OpenRequest>,
    answeredRequests: Map<unknown, OpenRequest>,
  ): OpenRequest | undefined {
    const { id, method } = message;
    const isCall = typeof method === 'string';
    const request = method === undefined ? answeredRequests.get(id) : undefined;
    if (request) answeredRequests.delete(id);
    if (isCall && (typeof id === 'string' || typeof id === 'number'))
      openRequests.set(id, { method, sentAtMs: this.options.clock.monotonicNow() });
    if (this.options.tap.isRecording) this.report(direction, message, isCall ? method : undefined, request);
    return request;
  }

  private report(
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
        durationMs: request && clock.monotonicNow() - request.sentAtMs,
        error: errorCodeOf(message['error']),
      }),
    });
  }
}

function errorCodeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** Wraps a stream and reports its messages to the tap. Owns `stream`. */
export function tapStream(stream: MessageStream, options: RecorderOptions): MessageStream {
  const recorder = new TrafficRecorder(options);
  return {
    onNoise: stream.onNoise,
    onDidClose: stream.onDidClose,
    onMessage: (listener) =>
      stream.onMessage((message) => {
        recorder.recordInbound(message);
        listener(message);
      }),
    send: (message) => {
      recorder.recordOutbound({ ...message });
      return stream.send(message);
    },
    dispose: () => stream.dispose(),
  };
}
