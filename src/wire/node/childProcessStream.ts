import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import { ConnectionClosedError } from '../common/connectionErrors';
import { encodeJsonLine, JsonLineReader } from '../common/jsonLines';
import type { MessageStream, StreamClosed, StreamNoise } from '../common/messageStream';

interface ChildProcessStreamOptions {
  readonly clock: Clock;
  readonly maxLineBytes?: number;
  readonly onListenerError: (error: unknown) => void;
}

/** A child process with pipes for stdin and stdout. */
export type PipedChild = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Limits for each uninterrupted read, so that a flood of messages does not block the event loop. */
const maxItemsPerTurn = 64;
const maxTurnMs = 4;
/** A grandchild can keep stdout open after the child has exited. */
const drainAfterExitMs = 500;

/**
 * Exchanges JSON lines over the stdin and stdout of a child process. Closes when stdout ends or soon after the child exits,
 * but only after all messages were delivered. Owns both pipes, not the child.
 */
export class ChildProcessStream implements MessageStream {
  private readonly messages = new Emitter<Record<string, unknown>>((error) => this.options.onListenerError(error));
  private readonly noises = new Emitter<StreamNoise>((error) => this.options.onListenerError(error));
  readonly onNoise = this.noises.event;
  private readonly closes = new Emitter<StreamClosed>((error) => this.options.onListenerError(error));
  readonly onDidClose = this.closes.event;
  private readonly store = new DisposableStore();
  private readonly reader: JsonLineReader;
  private hasListener = false;
  private turn: NodeJS.Immediate | undefined;
  private hasEnded = false;
  private isQuiet = true;
  private closed: StreamClosed | undefined;

  constructor(
    private readonly child: PipedChild,
    private readonly options: ChildProcessStreamOptions,
  ) {
    this.reader = new JsonLineReader(options.maxLineBytes);
    // Failed writes reject `send`. Without a listener, the error would crash this process.
    child.stdin.on('error', () => undefined);
    this.read();
  }

  readonly onMessage: MessageStream['onMessage'] = (listener) => {
    const subscription = this.messages.event(listener);
    this.hasListener = true;
    this.schedule();
    return subscription;
  };

  /** @throws ConnectionClosedError if the stream is closed; TypeError if the message cannot be serialized */
  async send(message: object): Promise<void> {
    if (this.closed) throw new ConnectionClosedError(this.closed);
    const line = encodeJsonLine(message);
    await new Promise<void>((resolve, reject) => {
      this.child.stdin.write(line, (error) => {
        if (error) reject(new ConnectionClosedError(this.closed ?? { reason: 'failed', error }));
        else resolve();
      });
    });
  }

  dispose(): void {
    this.close({ reason: 'disposed' });
  }

  private read(): void {
    const { child, store } = this;
    const { stdout } = child;
    store.add(on(stdout, 'data', (chunk: Uint8Array) => this.receive(chunk)));
    store.add(on(stdout, 'end', () => this.finish()));
    // A failed read closes stdout without an `end`.
    store.add(on(stdout, 'close', () => this.finish()));
    store.add(on(stdout, 'error', (error: Error) => this.close({ reason: 'failed', error })));
    if (child.exitCode !== null || child.signalCode !== null) this.drain();
    else store.add(on(child, 'exit', () => this.drain()));
  }

  /** After the exit, reads remaining data until none has arrived for a while. */
  private drain(): void {
    this.isQuiet = true;
    const timer = this.options.clock.setTimer(drainAfterExitMs, () => {
      if (this.isQuiet && !this.turn) this.finish();
      else this.drain();
    });
    this.store.add(timer);
  }

  private receive(chunk: Uint8Array): void {
    this.isQuiet = false;
    this.reader.push(chunk);
    if (!this.hasListener) this.child.stdout.pause();
    else if (!this.turn) this.takeTurn();
  }

  private finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.reader.end();
    this.schedule();
  }

  private schedule(): void {
    if (this.hasListener && !this.closed) this.turn ??= setImmediate(() => this.takeTurn());
  }

  private takeTurn(): void {
    this.turn = undefined;
    const endMs = performance.now() + maxTurnMs;
    for (let items = 0; items < maxItemsPerTurn && performance.now() < endMs; items++) {
      const line = this.reader.read();
      if (!line) {
        if (this.hasEnded) this.close({ reason: 'ended' });
        else this.child.stdout.resume();
        return;
      }
      if (line.message) this.messages.fire(line.message);
      else this.noises.fire(line.noise);
      if (this.closed) return;
    }
    this.child.stdout.pause();
    this.schedule();
  }

  private close(closed: StreamClosed): void {
    if (this.closed) return;
    this.closed = closed;
    this.store.dispose();
    clearImmediate(this.turn);
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    this.closes.fire(closed);
    for (const emitter of [this.messages, this.noises, this.closes]) emitter.dispose();
  }
}

type Listenable = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

function on<T>(target: Listenable, event: string, listener: (value: T) => void): Disposable {
  target.on(event, listener);
  return { dispose: () => void target.off(event, listener) };
}
