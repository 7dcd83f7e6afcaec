import { Emitter } from '../../../src/base/common/event';
import { ConnectionClosedError } from '../../../src/wire/common/connectionErrors';
import type { MessageStream, StreamClosed, InvalidStreamData } from '../../../src/wire/common/messageStream';

/** Two ends of one pipe in memory. Messages go through JSON and arrive later than they were sent, in order. */
export function duplexPair(): [DuplexEnd, DuplexEnd] {
  const left = new DuplexEnd();
  const right = new DuplexEnd();
  left.connect(right);
  right.connect(left);
  return [left, right];
}

export class DuplexEnd implements MessageStream {
  /** What was sent from this end, as it went over the wire. */
  readonly sent: Record<string, unknown>[] = [];
  private readonly messages = new Emitter<Record<string, unknown>>(rethrow);
  private readonly noises = new Emitter<InvalidStreamData>(rethrow);
  private readonly closes = new Emitter<StreamClosed>(rethrow);
  private other: DuplexEnd | undefined;
  private kept: Record<string, unknown>[] | undefined = [];
  private closed: StreamClosed | undefined;

  readonly onNoise = this.noises.event;
  readonly onDidClose = this.closes.event;
  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messages.event(listener);
    const early = this.kept ?? [];
    this.kept = undefined;
    for (const message of early) queueMicrotask(() => this.messages.fire(message));
    return subscription;
  };

  connect(other: DuplexEnd): void {
    this.other = other;
  }

  send(message: object): Promise<void> {
    if (this.closed) return Promise.reject(new ConnectionClosedError(this.closed));
    const copy = JSON.parse(JSON.stringify(message)) as Record<string, unknown>;
    this.sent.push(copy);
    queueMicrotask(() => this.other?.receive(copy));
    return Promise.resolve();
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
    queueMicrotask(() => this.other?.close({ reason: 'ended' }));
  }

  /** Ends this side as a broken transport would. */
  fail(error: Error): void {
    this.close({ reason: 'failed', error });
  }

  private receive(message: Record<string, unknown>): void {
    if (this.closed) return;
    if (this.kept) this.kept.push(message);
    else this.messages.fire(message);
  }

  private close(closed: StreamClosed): void {
    if (this.closed) return;
    this.closed = closed;
    this.closes.fire(closed);
  }
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
