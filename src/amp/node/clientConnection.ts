import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { EditorError } from '../../editor/common/editorPort';
import type { TrafficTap } from '../../wire/common/traffic';
import { noVisibleFiles, type AmpNotification, type EditorState } from '../common/notifications';
import { RequestScope } from '../common/requestScope';
import type { AmpAnswer, AmpRouter } from '../common/router';
import type { LargeAnswers } from './largeAnswers';
import type { AmpLimits } from './limits';
import { textFrame } from './textFrame';

interface ClientConnectionOptions {
  /** Name of the client in the log and the traffic view. */
  readonly name: string;
  /** The stream below the WebSocket, which writes each frame immediately (uncompressed), so frames stay in order. */
  readonly stream: Duplex;
  readonly router: AmpRouter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly traffic: TrafficTap;
  readonly limits: AmpLimits;
  /** Shared by all clients. */
  readonly largeAnswers: LargeAnswers;
  /** Called for each answer that was sent. */
  readonly onAnswer: (answer: AmpAnswer) => void;
}

/** Shared by all requests, since creating an error is slow. */
const answered = new EditorError('cancelled', 'The request was answered.');

interface HeldRequest {
  readonly frame: Buffer;
  readonly isText: boolean;
  /** In milliseconds of the monotonic clock. */
  readonly arrivedAt: number;
}

/** An authenticated client. Pauses a client that sends too fast, and stops working for one that does not read. */
export class ClientConnection {
  private readonly waiting: HeldRequest[] = [];
  private readonly working = new Map<HeldRequest, RequestScope>();
  private heldBytes = 0;
  private wasHeard = true;
  private isCorked = false;
  private blocked: Disposable | undefined;
  /** The notifications last sent, to avoid repeating them. */
  private shown: { visibleFiles?: string; selection?: string } = {};
  /** The latest state that could not be sent because the client was not reading. */
  private unshown: EditorState | undefined;

  /** Resolves when the socket has closed. */
  readonly closed: Promise<void>;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: ClientConnectionOptions,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  start(): void {
    const { socket, options } = this;
    socket.on('message', (data, isBinary) => this.receive(toBuffer(data), !isBinary));
    socket.on('pong', () => {
      this.wasHeard = true;
    });
    // The socket answers pings automatically. A client that sends many and reads none must be paused, too.
    socket.on('ping', () => {
      this.wasHeard = true;
      this.balance();
    });
    options.stream.on('drain', () => this.balance());
    socket.on('error', (error) => options.log.warn(`${options.name}: ${error.message}`));
    socket.on('close', (code) => {
      this.blocked?.dispose();
      for (const { frame } of this.waiting.splice(0)) this.heldBytes -= frame.length;
      const reason = new EditorError('cancelled', 'The client has gone.');
      for (const scope of this.working.values()) scope.end(reason);
      options.largeAnswers.startNext();
      options.log.info(`${options.name} disconnected (${code})`);
    });
  }

  /** Sends what has changed for this client, visible files first. Deferred while the client is not reading. */
  show(state: EditorState): void {
    if (this.isBlocked) {
      this.unshown = state;
      return;
    }
    this.unshown = undefined;
    const { visibleFiles, selection } = state;
    if (visibleFiles.json !== this.shown.visibleFiles) {
      // An empty list also clears the selection, so the next selection must be sent even if it is the same.
      this.shown = visibleFiles.json === noVisibleFiles.json ? {} : { ...this.shown };
      this.shown.visibleFiles = visibleFiles.json;
      this.notify(visibleFiles);
    }
    if (selection && selection.json !== this.shown.selection) {
      this.shown.selection = selection.json;
      this.notify(selection);
    }
  }

  /** Returns false without sending if the client is not reading. */
  notify({ json, method }: AmpNotification): boolean {
    if (this.socket.readyState !== WebSocket.OPEN || this.isBlocked) return false;
    this.send(json);
    const { traffic, name } = this.options;
    if (traffic.isOpen) {
      traffic.record({ protocol: 'amp', direction: 'out', peer: name, method, bytes: Buffer.byteLength(json) });
    }
    return true;
  }

  /** Sends a ping. Terminates the connection if nothing was received since the last one. */
  beat(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (!this.wasHeard) {
      this.terminate('it no longer answers');
      return;
    }
    // While the socket is paused, a pong could not be received.
    this.wasHeard = this.socket.isPaused;
    this.socket.ping();
  }

  /** Starts the closing handshake. The caller terminates clients that do not respond. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  terminate(reason?: string): void {
    if (reason) this.options.log.warn(`${this.options.name} is disconnected: ${reason}`);
    this.socket.terminate();
  }

  /** Number of requests that are queued or being processed. */
  get heldRequests(): number {
    return this.waiting.length + this.working.size;
  }

  /** Whether it is connected and has read most of what it was sent. */
  get isReading(): boolean {
    return this.socket.readyState === WebSocket.OPEN && !this.isBlocked;
  }

  /** Bytes sent to the client that it has not read; 0 once it is disconnected. */
  get unreadBytes(): number {
    return this.socket.readyState === WebSocket.CLOSED ? 0 : this.socket.bufferedAmount;
  }

  private get isBlocked(): boolean {
    return this.unreadBytes > this.options.limits.maxBufferedBytes;
  }

  private receive(frame: Buffer, isText: boolean): void {
    this.wasHeard = true;
    this.waiting.push({ frame, isText, arrivedAt: this.options.clock.monotonicNow() });
    this.heldBytes += frame.length;
    this.balance();
  }

  /** Starts queued requests as limits allow, and pauses or resumes the socket. Call it whenever a counter changes. */
  private balance(): void {
    const { socket, options, waiting } = this;
    const { limits } = options;
    if (socket.readyState !== WebSocket.OPEN) return;
    while (this.working.size < limits.maxConcurrentRequests && !this.isBlocked) {
      const next = waiting.shift();
      if (!next) break;
      void this.serve(next);
    }
    const isFull =
      this.isBlocked || this.heldRequests >= limits.maxHeldRequests || this.heldBytes >= limits.maxHeldBytes;
    if (isFull && !socket.isPaused) socket.pause();
    if (!isFull && socket.isPaused) socket.resume();
    this.watchBlocked();
    options.largeAnswers.startNext();
    if (this.unshown && !this.isBlocked) this.show(this.unshown);
  }

  private watchBlocked(): void {
    if (!this.isBlocked) {
      this.blocked?.dispose();
      this.blocked = undefined;
      return;
    }
    const { clock, limits } = this.options;
    this.blocked ??= clock.setTimer(limits.blockedTimeoutMs, () => this.terminate('it does not read'));
  }

  /** Acquires everything that the request needs, and releases it however the request ends. */
  private async serve(request: HeldRequest): Promise<void> {
    const { frame, isText, arrivedAt } = request;
    const { router, largeAnswers, clock, limits } = this.options;
    const scope = new RequestScope(clock, arrivedAt, limits.requestTimeoutMs);
    this.working.set(request, scope);
    try {
      // Text frames are valid UTF-8. Other binary frames must not become JSON by replacement characters.
      const text = isText || isUtf8(frame) ? frame.toString('utf8') : '';
      const answer = await router.answer(text, scope, () => largeAnswers.take(this, scope.signal));
      if (this.socket.readyState === WebSocket.OPEN) {
        this.send(answer.json);
        this.options.onAnswer(answer);
      }
      if (this.options.traffic.isOpen) this.record(request, answer);
    } finally {
      this.working.delete(request);
      this.heldBytes -= frame.length;
      scope.end(answered);
      this.balance();
    }
  }

  private send(json: string): void {
    // Answers that are ready at the same time are sent in one system call.
    if (this.working.size > 0 && !this.isCorked) {
      this.isCorked = true;
      this.options.stream.cork();
      process.nextTick(() => {
        this.isCorked = false;
        this.options.stream.uncork();
      });
    }
    // Bypasses `socket.send`: see `textFrame`.
    this.options.stream.write(textFrame(json));
  }

  private record({ frame, arrivedAt }: HeldRequest, { json, method, error }: AmpAnswer): void {
    const { traffic, clock, name } = this.options;
    const common = { protocol: 'amp', peer: name, method } as const;
    traffic.record({ ...common, direction: 'in', bytes: frame.length });
    traffic.record({
      ...common,
      direction: 'out',
      bytes: Buffer.byteLength(json),
      ms: clock.monotonicNow() - arrivedAt,
      ...(error === undefined ? {} : { error }),
    });
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
