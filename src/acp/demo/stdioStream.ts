import { messageOf, toError } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import { ConnectionClosedError } from '../../wire/common/connectionErrors';
import { encodeJsonLine, JsonLineReader } from '../../wire/common/jsonLines';
import type { MessageStream, StreamClosed, StreamNoise } from '../../wire/common/messageStream';

/** JSON lines over this process's stdin and stdout. Starts reading with the first `onMessage` listener. */
export class StdioStream implements MessageStream {
  private readonly messages = new Emitter<Record<string, unknown>>(complain);
  private readonly noises = new Emitter<StreamNoise>(complain);
  private readonly closes = new Emitter<StreamClosed>(complain);
  private readonly reader = new JsonLineReader();
  private isReading = false;
  private closed: StreamClosed | undefined;

  readonly onNoise = this.noises.event;
  readonly onDidClose = this.closes.event;
  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messages.event(listener);
    this.startReading();
    return subscription;
  };

  async send(message: object): Promise<void> {
    const { closed } = this;
    if (closed) throw new ConnectionClosedError(closed);
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(encodeJsonLine(message), (error) => {
        if (error) reject(new ConnectionClosedError({ reason: 'failed', error }));
        else resolve();
      });
    });
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
  }

  private startReading(): void {
    if (this.isReading) return;
    this.isReading = true;
    const { stdin } = process;
    stdin.on('data', (chunk: Buffer) => {
      this.reader.push(chunk);
      this.deliver();
    });
    stdin.on('end', () => {
      this.reader.end();
      this.deliver();
      this.close({ reason: 'ended' });
    });
    stdin.on('error', (error) => this.close({ reason: 'failed', error: toError(error) }));
    // The client has disconnected; the end of stdin follows.
    process.stdout.on('error', () => undefined);
  }

  private deliver(): void {
    for (let line = this.reader.read(); line && !this.closed; line = this.reader.read()) {
      if (line.message) this.messages.fire(line.message);
      else this.noises.fire(line.noise);
    }
  }

  private close(closed: StreamClosed): void {
    if (this.closed) return;
    this.closed = closed;
    process.stdin.pause();
    this.closes.fire(closed);
  }
}

function complain(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`);
}
