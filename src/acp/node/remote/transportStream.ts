import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { Emitter } from '../../../base/common/event';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { InvalidStreamData, MessageStream, StreamClosed } from '../../../wire/common/messageStream';

interface TransportStreamDeps {
  /** Converts errors of the transport. */
  readonly explain: (error: unknown) => Error;
  readonly onListenerError: (error: unknown) => void;
}

/** Adapts a stream of the SDK's transports to a message stream. Owns the SDK's stream. */
export class TransportStream implements MessageStream {
  private readonly messageEmitter = new Emitter<Record<string, unknown>>((error) => this.deps.onListenerError(error));
  private readonly noiseEmitter = new Emitter<InvalidStreamData>((error) => this.deps.onListenerError(error));
  readonly onNoise = this.noiseEmitter.event;
  private readonly closeEmitter = new Emitter<StreamClosed>((error) => this.deps.onListenerError(error));
  readonly onDidClose = this.closeEmitter.event;
  private readonly reader: ReadableStreamDefaultReader<AnyMessage>;
  private readonly writer: WritableStreamDefaultWriter<AnyMessage>;
  private isReading = false;
  private closeReason: StreamClosed | undefined;
  private whenServerNotified: Promise<void> | undefined;

  constructor(
    stream: Stream,
    private readonly deps: TransportStreamDeps,
  ) {
    this.reader = stream.readable.getReader();
    this.writer = stream.writable.getWriter();
    // A failed write rejects `send`, too.
    this.writer.closed.catch(() => undefined);
    this.reader.closed.catch((error: unknown) => this.close({ reason: 'failed', error: deps.explain(error) }));
  }

  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messageEmitter.event(listener);
    if (!this.isReading) void this.read();
    return subscription;
  };

  /** Resolves when the server has accepted the message, or when a WebSocket has sent it. @throws ConnectionClosedError */
  async send(message: object): Promise<void> {
    if (this.closeReason) throw new ConnectionClosedError(this.closeReason);
    try {
      if (!isRpcMessage(message)) throw new TypeError('Only JSON-RPC messages can be sent.');
      await this.writer.write(message);
    } catch (cause) {
      const error = this.deps.explain(cause);
      this.close({ reason: 'failed', error });
      throw new ConnectionClosedError({ reason: 'failed', error });
    }
  }

  /** Ends the connection. Resolves when the server was notified. Never rejects. */
  async end(): Promise<void> {
    this.close({ reason: 'disposed' });
    await this.whenServerNotified;
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
  }

  private async read(): Promise<void> {
    this.isReading = true;
    try {
      for (;;) {
        const { done, value } = await this.reader.read();
        if (this.closeReason) return;
        if (done) break;
        this.messageEmitter.fire({ ...value });
      }
      this.close({ reason: 'ended' });
    } catch (error) {
      this.close({ reason: 'failed', error: this.deps.explain(error) });
    }
  }

  private close(closed: StreamClosed): void {
    if (this.closeReason) return;
    this.closeReason = closed;
    this.whenServerNotified = this.reader.cancel().catch(() => undefined);
    this.writer.abort().catch(() => undefined);
    this.closeEmitter.fire(closed);
    for (const emitter of [this.messageEmitter, this.noiseEmitter, this.closeEmitter]) emitter.dispose();
  }
}

/** Whether the object is a JSON-RPC message. */
function isRpcMessage(message: object): message is AnyMessage {
  return 'jsonrpc' in message && ('method' in message || 'id' in message);
}
