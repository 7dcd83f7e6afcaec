import type { MessageStream } from '../../wire/common/messageStream';
import type { TrafficTap } from '../../wire/common/traffic';

export interface TapOptions {
  readonly tap: TrafficTap;
  /** The agent's name in the traffic log. */
  readonly peer: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Asked {
  readonly method: string;
  readonly timeMs: number;
}

/** An agent that never answers must not fill the memory. */
const maxOpenRequests = 1000;

/** The same stream, whose messages the tap hears of: name, size and time, never what is in them. Owns what it wraps. */
export function tapStream(stream: MessageStream, { tap, peer, now }: TapOptions): MessageStream {
  const asked = { in: new Map<unknown, Asked>(), out: new Map<unknown, Asked>() };

  function record(direction: 'in' | 'out', message: Readonly<Record<string, unknown>>): void {
    if (!tap.isOpen) return;
    const { id, method, error } = message;
    const answered = asked[direction === 'in' ? 'out' : 'in'];
    const request = typeof method === 'string' ? undefined : answered.get(id);
    if (typeof method === 'string') remember(asked[direction], id, { method, timeMs: now() });
    else answered.delete(id);
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    tap.record({
      protocol: 'acp',
      direction,
      peer,
      method: typeof method === 'string' ? method : (request?.method ?? 'answer'),
      bytes: Buffer.byteLength(JSON.stringify(message)) + 1,
      ...(request ? { ms: now() - request.timeMs } : {}),
      ...(typeof code === 'number' ? { error: code } : {}),
    });
  }

  return {
    onNoise: stream.onNoise,
    onDidClose: stream.onDidClose,
    onMessage: (listener) =>
      stream.onMessage((message) => {
        record('in', message);
        listener(message);
      }),
    send: (message) => {
      record('out', { ...message });
      return stream.send(message);
    },
    dispose: () => stream.dispose(),
  };
}

function remember(asked: Map<unknown, Asked>, id: unknown, request: Asked): void {
  asked.set(id, request);
  const [oldest] = asked.keys();
  if (asked.size > maxOpenRequests) asked.delete(oldest);
}
