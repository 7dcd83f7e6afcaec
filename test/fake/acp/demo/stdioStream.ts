import { messageOf, toError } from '../../../../src/base/common/errors';
import { Emitter } from '../../../../src/base/common/event';
import { ConnectionClosedError } from '../../../../src/wire/common/connectionErrors';
import { encodeJsonLine, JsonLineReader } from '../../../../src/wire/common/jsonLines';
import type { MessageStream, StreamClosed, InvalidStreamData } from '../../../../src/wire/common/messageStream';

/** Exchanges JSON lines over stdin and stdout. Starts reading when the first `onMessage` listener is added. */
export class StdioStream implements MessageStream {
  private readonly messageEmitter = new Emitter<Record<string, unknown>>(writeToStderr);
  private readonly noiseEmitter = new Emitter<InvalidStreamData>(writeToStderr);
  private readonly closeEmitter = new Emitter<StreamClosed>(writeToStderr);
  private readonly reader = new JsonLineReader();
  private isReading = false;
  private closeReason: StreamClosed | undefined;

  readonly onNoise = this.noiseEmitter.event;
  readonly onDidClose = this.closeEmitter.event;
  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messageEmitter.event(listener);
    this.startReading();
    return subscription;
  };

  async send(message: object): Promise<void> {
    const { closeReason } = this;
    if (closeReason) throw new ConnectionClosedError(closeReason);
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
      this.reader.addChunk(chunk);
      this.emitMessages();
    });
    stdin.on('end', () => {
      this.reader.end();
      this.emitMessages();
      this.close({ reason: 'ended' });
    });
    stdin.on('error', (error) => this.close({ reason: 'failed', error: toError(error) }));
    // Ignores the error, because the client has disconnected and the end of stdin follows.
    process.stdout.on('error', () => undefined);
  }

  private emitMessages(): void {
    for (let line = this.reader.read(); line && !this.closeReason; line = this.reader.read()) {
      if (line.message) this.messageEmitter.fire(line.message);
      else this.noiseEmitter.fire(line.noise);
    }
  }

  private close(closed: StreamClosed): void {
    if (this.closeReason) return;
    this.closeReason = closed;
    process.stdin.pause();
    this.closeEmitter.fire(closed);
  }
}

export function writeToStderr(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`);
}
