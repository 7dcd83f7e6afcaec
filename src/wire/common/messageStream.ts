import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';

/** Why a stream ended: `ended` by the other side, `disposed` by us, `failed` by an error of the transport. */
export interface StreamClosed {
  readonly reason: 'ended' | 'disposed' | 'failed';
  readonly error?: Error;
}

/** Something that came in and is no message: a line that holds no JSON object, or one above the size limit. */
export interface StreamNoise {
  readonly kind: 'notJson' | 'tooLong';
  /** The beginning of it, for the log. */
  readonly excerpt: string;
  readonly bytes: number;
}

/** An ordered, reliable, bidirectional stream of JSON objects. Dispose it to close it; it closes once. */
export interface MessageStream extends Disposable {
  /** Messages that come before anybody listens are kept until somebody does. */
  readonly onMessage: Event<Record<string, unknown>>;
  readonly onNoise: Event<StreamNoise>;
  readonly onDidClose: Event<StreamClosed>;
  /** Resolves when the message has been handed to the operating system; rejects when the stream is closed. */
  send(message: object): Promise<void>;
}
