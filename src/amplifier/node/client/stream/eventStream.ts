import type { Clock } from '../../../../base/common/async';
import { backoffMs, addJitter } from '../../../../base/common/backoff';
import type { Disposable } from '../../../../base/common/disposable';
import type { OutgoingHttp } from '../../../../wire/node/outgoingHttp';
import type { AmplifierApiError } from '../../../common/api/apiErrors';
import type { EventConnectionHandlers, EventConnectionOpener } from './eventConnection';
import { openSseConnection } from './sseConnection';
import { openWebSocketConnection } from './webSocketConnection';

interface EventStreamHandlers extends Pick<EventConnectionHandlers, 'onMessage' | 'onActivity' | 'onOversize'> {
  readonly onConnected: () => void;
  /** Called when the connection is stable. If it is lost after that, a new series of attempts starts. */
  readonly onStable: () => void;
  /** Called before each attempt. `attempt` counts from 1 and is reset by a stable connection. */
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  /** The stream has failed for good: the session is gone, or the server supports neither SSE nor WebSockets. */
  readonly onFailed: (error: AmplifierApiError) => void;
}

interface EventStreamDeps extends Partial<EventStreamLimits> {
  readonly http: OutgoingHttp;
  readonly eventsUrl: URL;
  readonly webSocketUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Whether events are expected, so that silence is suspicious. After a keep-alive, silence always is. */
  readonly isExpectingEvents: () => boolean;
  readonly handlers: EventStreamHandlers;
}

const defaults = {
  /** Maximum length of an event, in UTF-16 units. */
  maxEventLength: 16 * 1024 * 1024,
  connectTimeoutMs: 15_000,
  /** Duration of a suspicious silence after which the stream reconnects, in milliseconds. */
  silenceMs: 45_000,
  /** Delay before the first attempt to reconnect, without jitter. It doubles up to `maxDelayMs`. */
  baseDelayMs: 500,
  maxDelayMs: 30_000,
};
export type EventStreamLimits = Readonly<typeof defaults>;
/** Number of timer ticks by which silence is measured, because the clock may jump. */
const silentTicks = 3;
/** A connection is stable if it lasts longer than this time and longer than the delay before it. */
const lastingMs = 5000;

/**
 * Receives a session's events over SSE, or over a WebSocket if SSE is refused. After failures, reconnects and continues
 * after the last received event.
 */
export class EventStream implements Disposable {
  private readonly limits: EventStreamLimits;
  private connection: Disposable | undefined;
  private retryTimer: Disposable | undefined;
  private silenceTimer: Disposable | undefined;
  private stabilityTimer: Disposable | undefined;
  private transport: 'sse' | 'webSocket' = 'sse';
  private sseConnectError: AmplifierApiError | undefined;
  private attemptCount = 0;
  private retryDelayMs = 0;
  private baseDelayMs: number;
  private lastEventId: string | undefined;
  private hasReceivedData = false;
  private serverSendsKeepAlives = false;
  private isClosed = false;

  constructor(private readonly deps: EventStreamDeps) {
    this.limits = { ...defaults, ...deps };
    this.baseDelayMs = this.limits.baseDelayMs;
  }

  /** Skips the events until this one, including it. Call before `start`. */
  resumeAfter(eventId: string): void {
    this.lastEventId = eventId;
  }

  start(): void {
    this.connect();
  }

  /** Replaces the connection with a new one after the usual delay. */
  reconnect(): void {
    if (this.isClosed || this.retryTimer) return;
    this.scheduleConnect();
  }

  dispose(): void {
    this.isClosed = true;
    this.disconnect();
    this.retryTimer?.dispose();
  }

  private connect(): void {
    this.retryTimer = undefined;
    const { http, eventsUrl, webSocketUrl, headers, redact, handlers } = this.deps;
    const { maxEventLength, connectTimeoutMs } = this.limits;
    const isSse = this.transport === 'sse';
    const open: EventConnectionOpener = isSse ? openSseConnection : openWebSocketConnection;
    const id = this.lastEventId === undefined ? {} : { lastEventId: this.lastEventId };
    const url = isSse ? eventsUrl : webSocketUrl;
    this.connection = open(
      { http, url, headers, maxEventLength, connectTimeoutMs, redact, ...id },
      {
        onOpen: () => {
          this.sseConnectError = undefined;
          this.startSilenceTimer();
          this.stabilityTimer = this.deps.clock.setTimer(Math.max(lastingMs, this.retryDelayMs), () => {
            this.attemptCount = 0;
            handlers.onStable();
          });
          handlers.onConnected();
        },
        onActivity: () => {
          this.hasReceivedData = true;
          handlers.onActivity();
        },
        onKeepAlive: () => {
          this.serverSendsKeepAlives = true;
        },
        onMessage: (message) => {
          if (message.event === 'ping') this.serverSendsKeepAlives = true;
          const { event, data } = message;
          handlers.onMessage({ event: event === undefined ? event : redact(event), data: redact(data) });
        },
        onOversize: handlers.onOversize,
        onId: (lastEventId) => {
          this.lastEventId = lastEventId === '' ? undefined : lastEventId;
        },
        onRetry: (delayMs) => {
          this.baseDelayMs = Math.min(Math.max(delayMs, 100), this.limits.maxDelayMs);
        },
        onEnd: (error) => this.handleEnd(error),
      },
    );
  }

  private handleEnd(error: AmplifierApiError): void {
    this.disconnect();
    if (this.isClosed) return;
    if (isFinal(error)) {
      this.fail(error);
      return;
    }
    if (!isRefusal(error)) {
      // The server has not responded over the WebSocket, so the next attempt uses SSE.
      if (this.sseConnectError) this.transport = 'sse';
      this.scheduleConnect();
      return;
    }
    if (this.transport === 'webSocket') {
      this.fail(this.sseConnectError ?? error);
      return;
    }
    this.sseConnectError = error;
    this.transport = 'webSocket';
    this.connect();
  }

  private fail(error: AmplifierApiError): void {
    this.dispose();
    this.deps.handlers.onFailed(error);
  }

  private scheduleConnect(): void {
    this.disconnect();
    this.attemptCount++;
    const { clock, handlers, random } = this.deps;
    const delay = { firstMs: this.baseDelayMs, maxMs: this.limits.maxDelayMs };
    this.retryDelayMs = addJitter(backoffMs(delay, this.attemptCount), random);
    this.retryTimer = clock.setTimer(this.retryDelayMs, () => this.connect());
    handlers.onReconnecting(this.attemptCount, this.retryDelayMs);
  }

  private disconnect(): void {
    this.silenceTimer?.dispose();
    this.stabilityTimer?.dispose();
    this.connection?.dispose();
    this.connection = undefined;
  }

  private startSilenceTimer(ticksLeft = silentTicks): void {
    this.silenceTimer?.dispose();
    this.silenceTimer = this.deps.clock.setTimer(this.limits.silenceMs / silentTicks, () => {
      const isSuspicious = this.serverSendsKeepAlives || this.deps.isExpectingEvents();
      if (this.hasReceivedData || !isSuspicious) this.startSilenceTimer();
      else if (ticksLeft > 1) this.startSilenceTimer(ticksLeft - 1);
      else this.reconnect();
      this.hasReceivedData = false;
    });
  }
}

/** Whether all further attempts would fail in the same way. */
function isFinal({ code, httpStatus }: AmplifierApiError): boolean {
  return code === 'SESSION_NOT_FOUND' || httpStatus === 401 || httpStatus === 403 || httpStatus === 410;
}

/** Whether the error means that the server does not support this transport. */
function isRefusal({ httpStatus }: AmplifierApiError): boolean {
  if (httpStatus === undefined || httpStatus === 408 || httpStatus === 429) return false;
  return httpStatus < 500 || httpStatus === 501;
}
