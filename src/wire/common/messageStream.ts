import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';

/** Why a stream closed: `ended` by the peer, `disposed` by us, or `failed` by an error of the transport. */
export interface StreamClosed {
  readonly reason: 'ended' | 'disposed' | 'failed';
  readonly error?: Error;
}

/** Received data that is not a message: a line without a JSON object, or a line above the size limit. */
export interface InvalidStreamData {
  readonly kind: 'notJson' | 'tooLong';
  readonly excerpt: string;
  readonly bytes: number;
}

/** An ordered, reliable, bidirectional stream of JSON objects. Dispose to close it; `onDidClose` fires once. */
export interface MessageStream extends Disposable {
  /** Messages are buffered until the first listener is added. */
  readonly onMessage: Event<Record<string, unknown>>;
  readonly onNoise: Event<InvalidStreamData>;
  readonly onDidClose: Event<StreamClosed>;
  /** Stops delivering messages until the result is disposed. Absent if the transport can't do that. */
  holdReading?(): Disposable;
  /** Resolves when the message was handed to the operating system; rejects if the stream is closed. */
  send(message: object): Promise<void>;
}
