import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { EditorError } from '../../editor/common/editorPort';
import { KnownTexts } from '../../editor/common/knownTexts';
import type { TrafficTap } from '../../wire/common/traffic';
import { noVisibleFilesNotification, type AmpNotification, type EditorNotifications } from '../common/notifications';
import { RequestScope } from '../common/requestScope';
import type { AmpAnswer, AmpRouter } from '../common/router';
import type { LargeAnswerQueue } from './largeAnswerQueue';
import type { AmpLimits } from './limits';
import { writeTextFrame, type SharedFrames } from './textFrame';

interface ClientConnectionDeps {
  /** Name of the client in the log and the traffic view. */
  readonly name: string;
  /** The stream below the WebSocket. Without compression, `ws` writes frames to it immediately and in order. */
  readonly stream: Duplex;
  readonly router: AmpRouter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly traffic: TrafficTap;
  readonly limits: AmpLimits;
  /** The queue for large answers, which all clients share. */
  readonly largeAnswers: LargeAnswerQueue;
  /** The frames of notifications, which all clients share. */
  readonly notificationFrames: SharedFrames;
  readonly onAnswer: (answer: AmpAnswer) => void;
}

/** A shared error for all requests, because creating an error takes time. */
const requestAnswered = new EditorError('cancelled', 'The request was answered.');

interface PendingRequest {
  readonly frame: Buffer;
  readonly isText: boolean;
  /** Arrival time of the request, in milliseconds of the monotonic clock. */
  readonly arrivedAt: number;
}

/** A client that has sent the token. One that sends too fast is paused; one that does not read gets no work. */
export class ClientConnection {
  private readonly unstartedRequests: PendingRequest[] = [];
  private readonly activeRequests = new Map<PendingRequest, RequestScope>();
  private readonly knownTexts = new KnownTexts();
  private pendingRequestBytes = 0;
  private isResponsive = true;
  private isSocketCorked = false;
  private blockedTimer: Disposable | undefined;
  /** The notifications that were sent last. Equal ones are not sent again. */
  private lastSentNotifications: { visibleFiles?: string; selection?: string } = {};
  /** The latest state, if it was not sent because the client is not reading. */
  private deferredNotifications: EditorNotifications | undefined;

  readonly whenClosed: Promise<void>;

  constructor(
    private readonly socket: WebSocket,
    private readonly deps: ClientConnectionDeps,
  ) {
    this.whenClosed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  start(): void {
    const { socket, deps } = this;
    socket.on('message', (data, isBinary) => this.receiveFrame(toBuffer(data), !isBinary));
    socket.on('pong', () => {
      this.isResponsive = true;
    });
    // The socket answers pings automatically. A client that sends many pings and reads no answers must also be paused.
    socket.on('ping', () => {
      this.isResponsive = true;
      this.startRequestsAndUpdateFlow();
    });
    deps.stream.on('drain', () => this.startRequestsAndUpdateFlow());
    socket.on('error', (error) => deps.log.warn(`${deps.name}: ${error.message}`));
    socket.on('close', (code) => {
      this.blockedTimer?.dispose();
      for (const { frame } of this.unstartedRequests.splice(0)) this.pendingRequestBytes -= frame.length;
      const reason = new EditorError('cancelled', 'The client has gone.');
      for (const scope of this.activeRequests.values()) scope.end(reason);
      deps.largeAnswers.startNextRequest();
      deps.log.info(`${deps.name} disconnected (${code})`);
    });
  }

  /** Sends what has changed for this client, visible files first. While it is not reading, it is sent later. */
  sendState(state: EditorNotifications): void {
    if (this.isBlocked) {
      this.deferredNotifications = state;
      return;
    }
    this.deferredNotifications = undefined;
    const { visibleFiles, selection } = state;
    if (visibleFiles.json !== this.lastSentNotifications.visibleFiles) {
      // An empty list also clears the selection in the client, so the next selection must be sent even if it is the
      // same.
      this.lastSentNotifications =
        visibleFiles.json === noVisibleFilesNotification.json ? {} : { ...this.lastSentNotifications };
      this.lastSentNotifications.visibleFiles = visibleFiles.json;
      this.notify(visibleFiles);
    }
    if (selection && selection.json !== this.lastSentNotifications.selection) {
      this.lastSentNotifications.selection = selection.json;
      this.notify(selection);
    }
  }

  /** Sends a notification. If the client is not reading, returns false and sends nothing. */
  notify(notification: AmpNotification): boolean {
    if (this.socket.readyState !== WebSocket.OPEN || this.isBlocked) return false;
    const { traffic, name, notificationFrames } = this.deps;
    this.send((stream) => stream.write(notificationFrames.frameOf(notification)));
    if (traffic.isRecording) {
      const { method, json } = notification;
      traffic.record({ protocol: 'amp', direction: 'out', peer: name, method, bytes: Buffer.byteLength(json) });
    }
    return true;
  }

  /** Sends a ping. Terminates the connection if nothing was received since the last ping. */
  pingOrTerminate(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (!this.isResponsive) {
      this.terminate('it no longer answers');
      return;
    }
    // A paused socket cannot receive an answer to the ping, so its client counts as responsive.
    this.isResponsive = this.socket.isPaused;
    this.socket.ping();
  }

  /** Starts to close the connection. The caller must terminate it if the client does not respond. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  terminate(reason?: string): void {
    if (reason) this.deps.log.warn(`${this.deps.name} is disconnected: ${reason}`);
    this.socket.terminate();
  }

  get pendingRequestCount(): number {
    return this.unstartedRequests.length + this.activeRequests.size;
  }

  /** Whether the client is connected and has read most of the data that was sent to it. */
  get isReading(): boolean {
    return this.socket.readyState === WebSocket.OPEN && !this.isBlocked;
  }

  /** Number of bytes that were sent to the client but that it has not read. 0 after it has disconnected. */
  get unreadBytes(): number {
    return this.socket.readyState === WebSocket.CLOSED ? 0 : this.socket.bufferedAmount;
  }

  private get isBlocked(): boolean {
    return this.unreadBytes > this.deps.limits.maxBufferedBytes;
  }

  private receiveFrame(frame: Buffer, isText: boolean): void {
    this.isResponsive = true;
    this.unstartedRequests.push({ frame, isText, arrivedAt: this.deps.clock.monotonicNow() });
    this.pendingRequestBytes += frame.length;
    this.startRequestsAndUpdateFlow();
  }

  /** Starts queued requests within the limits, and pauses or resumes the socket. Call when a counter changes. */
  private startRequestsAndUpdateFlow(): void {
    const { socket, deps, unstartedRequests } = this;
    const { limits } = deps;
    if (socket.readyState !== WebSocket.OPEN) return;
    while (this.activeRequests.size < limits.maxConcurrentRequests && !this.isBlocked) {
      const next = unstartedRequests.shift();
      if (!next) break;
      void this.answerRequest(next);
    }
    const isFull =
      this.isBlocked ||
      this.pendingRequestCount >= limits.maxPendingRequests ||
      this.pendingRequestBytes >= limits.maxPendingBytes;
    if (isFull && !socket.isPaused) socket.pause();
    if (!isFull && socket.isPaused) socket.resume();
    this.updateBlockedTimer();
    deps.largeAnswers.startNextRequest();
    if (this.deferredNotifications && !this.isBlocked) this.sendState(this.deferredNotifications);
  }

  private updateBlockedTimer(): void {
    if (!this.isBlocked) {
      this.blockedTimer?.dispose();
      this.blockedTimer = undefined;
      return;
    }
    const { clock, limits } = this.deps;
    this.blockedTimer ??= clock.setTimer(limits.blockedTimeoutMs, () => this.terminate('it does not read'));
  }

  /** Acquires everything that the request needs. Releases it when the request ends, for any reason. */
  private async answerRequest(request: PendingRequest): Promise<void> {
    const { frame, isText, arrivedAt } = request;
    const { router, largeAnswers, clock, limits } = this.deps;
    const scope = new RequestScope(clock, arrivedAt, limits.requestTimeoutMs);
    this.activeRequests.set(request, scope);
    try {
      // Text frames are valid UTF-8. In other binary frames, replacement characters must not produce valid JSON.
      const text = isText || isUtf8(frame) ? frame.toString('utf8') : '';
      const answer = await router.answer(text, scope, {
        knownTexts: this.knownTexts,
        awaitTurn: () => largeAnswers.awaitTurn(this, scope.signal),
      });
      if (this.socket.readyState === WebSocket.OPEN) {
        this.send((stream) => writeTextFrame(stream, answer.json));
        this.deps.onAnswer(answer);
      }
      if (this.deps.traffic.isRecording) this.recordTraffic(request, answer);
    } finally {
      this.activeRequests.delete(request);
      this.pendingRequestBytes -= frame.length;
      scope.end(requestAnswered);
      this.startRequestsAndUpdateFlow();
    }
  }

  /** `write` writes one frame. It does not use `socket.send`; see `writeTextFrame`. */
  private send(write: (stream: Duplex) => void): void {
    // Answers that may be ready at the same time are sent in one system call. A single one is sent at once.
    if (this.activeRequests.size > 1 && !this.isSocketCorked) {
      this.isSocketCorked = true;
      this.deps.stream.cork();
      process.nextTick(() => {
        this.isSocketCorked = false;
        this.deps.stream.uncork();
      });
    }
    write(this.deps.stream);
  }

  private recordTraffic({ frame, arrivedAt }: PendingRequest, { json, method, errorCode }: AmpAnswer): void {
    const { traffic, clock, name } = this.deps;
    const common = { protocol: 'amp', peer: name, method } as const;
    traffic.record({ ...common, direction: 'in', bytes: frame.length });
    traffic.record({
      ...common,
      direction: 'out',
      bytes: Buffer.byteLength(json),
      durationMs: clock.monotonicNow() - arrivedAt,
      ...(errorCode === undefined ? {} : { error: errorCode }),
    });
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
