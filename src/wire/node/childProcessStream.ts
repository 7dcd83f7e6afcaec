import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import { BatchAnswers } from '../common/batchAnswers';
import { ConnectionClosedError } from '../common/connectionErrors';
import { encodeJsonLine, JsonLineReader } from '../common/jsonLines';
import type { MessageStream, StreamClosed, InvalidStreamData } from '../common/messageStream';

interface ChildProcessStreamOptions {
  readonly clock: Clock;
  readonly maxLineBytes?: number;
  readonly onListenerError: (error: unknown) => void;
}

export type PipedChild = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Limits for one uninterrupted read, so that a flood of messages does not block the event loop. */
const maxItemsPerTurn = 64;
const maxTurnMs = 4;
/**
 * How long to wait for remaining output, in milliseconds. A grandchild can keep stdout open after the child has exited.
 */
const drainAfterExitMs = 500;

/** Exchanges JSON lines over the pipes of a child process, which it owns. Delivers all messages before it closes. */
export class ChildProcessStream implements MessageStream {
  private readonly messageEmitter = new Emitter<Record<string, unknown>>((error) =>
    this.options.onListenerError(error),
  );
  private readonly noiseEmitter = new Emitter<InvalidStreamData>((error) => this.options.onListenerError(error));
  readonly onNoise = this.noiseEmitter.event;
  private readonly closeEmitter = new Emitter<StreamClosed>((error) => this.options.onListenerError(error));
  readonly onDidClose = this.closeEmitter.event;
  private readonly disposables = new DisposableStore();
  private readonly lineReader: JsonLineReader;
  private readonly batchAnswers = new BatchAnswers();
  private hasListener = false;
  /** Holders that stop the delivery of messages until they let go. */
  private readonly holds = new Set<object>();
  private scheduledRead: NodeJS.Immediate | undefined;
  private hasStdoutEnded = false;
  private isStdoutQuiet = true;
  private closeReason: StreamClosed | undefined;

  constructor(
    private readonly child: PipedChild,
    private readonly options: ChildProcessStreamOptions,
  ) {
    this.lineReader = new JsonLineReader(options.maxLineBytes);
    // Failed writes reject `send`. Without a listener, the error would crash this process.
    child.stdin.on('error', () => undefined);
    this.attachListeners();
  }

  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messageEmitter.event(listener);
    this.hasListener = true;
    this.scheduleRead();
    return subscription;
  };

  /**
   * The answer to a request in a batch is only sent when the whole batch is answered. @throws ConnectionClosedError if the stream is
   * closed; TypeError if the message cannot be serialized
   */
  async send(message: object): Promise<void> {
    if (this.closeReason) throw new ConnectionClosedError(this.closeReason);
    const ready = this.batchAnswers.takeDataToSend(message);
    if (!ready) return;
    const line = encodeJsonLine(ready);
    await new Promise<void>((resolve, reject) => {
      this.child.stdin.write(line, (error) => {
        if (error) reject(new ConnectionClosedError(this.closeReason ?? { reason: 'failed', error }));
        else resolve();
      });
    });
  }

  /** Bytes of the child then wait in its pipe, and the child waits when that is full. */
  holdReading(): Disposable {
    const hold = {};
    this.holds.add(hold);
    return toDisposable(() => {
      if (this.holds.delete(hold)) this.scheduleRead();
    });
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
  }

  private attachListeners(): void {
    const { child, disposables } = this;
    const { stdout } = child;
    disposables.add(on(stdout, 'data', (chunk: Uint8Array) => this.receiveChunk(chunk)));
    disposables.add(on(stdout, 'end', () => this.finishStdout()));
    // A failed read closes stdout without an `end`.
    disposables.add(on(stdout, 'close', () => this.finishStdout()));
    disposables.add(on(stdout, 'error', (error: Error) => this.close({ reason: 'failed', error })));
    if (child.exitCode !== null || child.signalCode !== null) this.waitUntilQuiet();
    else disposables.add(on(child, 'exit', () => this.waitUntilQuiet()));
  }

  /** After the process has exited, reads remaining data until none has arrived for a while. */
  private waitUntilQuiet(): void {
    this.isStdoutQuiet = true;
    const timer = this.options.clock.setTimer(drainAfterExitMs, () => {
      if (this.isStdoutQuiet && !this.scheduledRead && !this.isHeld) this.finishStdout();
      else this.waitUntilQuiet();
    });
    this.disposables.add(timer);
  }

  private receiveChunk(chunk: Uint8Array): void {
    this.isStdoutQuiet = false;
    this.lineReader.addChunk(chunk);
    if (!this.hasListener || this.isHeld) this.child.stdout.pause();
    else if (!this.scheduledRead) this.deliverMessages();
  }

  private finishStdout(): void {
    this.hasStdoutEnded = true;
    this.lineReader.end();
    this.scheduleRead();
  }

  private scheduleRead(): void {
    if (this.hasListener && !this.isHeld && !this.closeReason)
      this.scheduledRead ??= setImmediate(() => this.deliverMessages());
  }

  private get isHeld(): boolean {
    return this.holds.size > 0;
  }

  private deliverMessages(): void {
    this.scheduledRead = undefined;
    const endMs = performance.now() + maxTurnMs;
    for (let items = 0; items < maxItemsPerTurn && performance.now() < endMs && !this.isHeld; items++) {
      const line = this.lineReader.read();
      if (!line) {
        if (this.hasStdoutEnded) this.close({ reason: 'ended' });
        else this.child.stdout.resume();
        return;
      }
      if (line.message) {
        if (line.batch) this.batchAnswers.addBatch(line.batch);
        this.messageEmitter.fire(line.message);
      } else this.noiseEmitter.fire(line.noise);
      if (this.closeReason) return;
    }
    this.child.stdout.pause();
    this.scheduleRead();
  }

  private close(closed: StreamClosed): void {
    if (this.closeReason) return;
    this.closeReason = closed;
    this.disposables.dispose();
    clearImmediate(this.scheduledRead);
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    this.closeEmitter.fire(closed);
    for (const emitter of [this.messageEmitter, this.noiseEmitter, this.closeEmitter]) emitter.dispose();
  }
}

type Listenable = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

function on<T>(target: Listenable, event: string, listener: (value: T) => void): Disposable {
  target.on(event, listener);
  return { dispose: () => void target.off(event, listener) };
}
