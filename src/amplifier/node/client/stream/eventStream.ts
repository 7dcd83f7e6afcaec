import type { Clock } from '../../../../base/common/async';
import { backoffMs, jittered } from '../../../../base/common/backoff';
import type { Disposable } from '../../../../base/common/disposable';
import type { AmplifierApiError } from '../../../common/api/apiErrors';
import type { EventConnectionHandlers, OpenEventConnection } from './eventConnection';
import { openSseConnection } from './sseConnection';
import { openWebSocketConnection } from './webSocketConnection';

interface EventStreamHandlers extends Pick<EventConnectionHandlers, 'onMessage' | 'onActivity' | 'onOversize'> {
  readonly onConnected: () => void;
  /** The connection has lasted so long that its loss would be another one, not the same again. */
  readonly onLasting: () => void;
  /** `attempt` counts from 1 and starts anew once a connection has lasted. */
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  /** The stream is over for good: the session is gone, or neither SSE nor the WebSocket is to be had. */
  readonly onFailed: (error: AmplifierApiError) => void;
}

interface EventStreamOptions extends Partial<EventStreamLimits> {
  readonly eventsUrl: URL;
  readonly webSocketUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes secrets out of what the server says. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Whether silence is suspicious. It always is on a stream that has shown keep-alives. */
  readonly isExpectingEvents: () => boolean;
  readonly handlers: EventStreamHandlers;
}

const defaults = {
  /** UTF-16 units of one event. */
  maxEventLength: 16 * 1024 * 1024,
  connectTimeoutMs: 15_000,
  /** A suspicious silence of this length opens a new connection. */
  silenceMs: 45_000,
  /** The delay before the first new attempt, before it is jittered. It doubles up to `maxDelayMs`. */
  baseDelayMs: 500,
  maxDelayMs: 30_000,
};
export type EventStreamLimits = Readonly<typeof defaults>;
/** Silence is counted in this many ticks of a timer, not by the clock, which may jump. */
const silentTicks = 3;
/** A connection lasts that has outlived this and the wait before it: a stream that ends as soon as it has begun is none. */
const lastingMs = 5000;

/**
 * Keeps one connection to a session's events: opens a new one when it is lost or has gone silent, says from where to go on
 * when the server numbers its events, and takes the WebSocket when SSE is refused. Dispose to close it.
 */
export class EventStream implements Disposable {
  private readonly limits: EventStreamLimits;
  private connection: Disposable | undefined;
  private retryTimer: Disposable | undefined;
  private watchTimer: Disposable | undefined;
  private lastingTimer: Disposable | undefined;
  private transport: 'sse' | 'webSocket' = 'sse';
  /** Why SSE was refused, while the WebSocket is tried instead. */
  private refusal: AmplifierApiError | undefined;
  private attempt = 0;
  private delayMs = 0;
  private baseDelayMs: number;
  private lastEventId: string | undefined;
  private hasHeard = false;
  private showsKeepAlives = false;
  private isOver = false;

  constructor(private readonly options: EventStreamOptions) {
    this.limits = { ...defaults, ...options };
    this.baseDelayMs = this.limits.baseDelayMs;
  }

  /** Before the start: the events up to this one are not asked for. */
  goOnAfter(eventId: string): void {
    this.lastEventId = eventId;
  }

  start(): void {
    this.connect();
  }

  /** Gives the connection up and opens another, after the usual delay. */
  reconnect(): void {
    if (this.isOver || this.retryTimer) return;
    this.connectLater();
  }

  dispose(): void {
    this.isOver = true;
    this.disconnect();
    this.retryTimer?.dispose();
  }

  private connect(): void {
    this.retryTimer = undefined;
    const { eventsUrl, webSocketUrl, headers, redact, handlers } = this.options;
    const { maxEventLength, connectTimeoutMs } = this.limits;
    const isSse = this.transport === 'sse';
    const open: OpenEventConnection = isSse ? openSseConnection : openWebSocketConnection;
    const id = this.lastEventId === undefined ? {} : { lastEventId: this.lastEventId };
    const url = isSse ? eventsUrl : webSocketUrl;
    this.connection = open(
      { url, headers, maxEventLength, connectTimeoutMs, redact, ...id },
      {
        onOpen: () => {
          this.refusal = undefined;
          this.watch();
          this.lastingTimer = this.options.clock.setTimer(Math.max(lastingMs, this.delayMs), () => {
            this.attempt = 0;
            handlers.onLasting();
          });
          handlers.onConnected();
        },
        onActivity: () => {
          this.hasHeard = true;
          handlers.onActivity();
        },
        onKeepAlive: () => {
          this.showsKeepAlives = true;
        },
        onMessage: (message) => {
          if (message.event === 'ping') this.showsKeepAlives = true;
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
        onEnd: (error) => this.ended(error),
      },
    );
  }

  private ended(error: AmplifierApiError): void {
    this.disconnect();
    if (this.isOver) return;
    if (isFinal(error)) {
      this.fail(error);
      return;
    }
    if (!isRefusal(error)) {
      // The WebSocket did not even answer: SSE is asked again first.
      if (this.refusal) this.transport = 'sse';
      this.connectLater();
      return;
    }
    if (this.transport === 'webSocket') {
      this.fail(this.refusal ?? error);
      return;
    }
    this.refusal = error;
    this.transport = 'webSocket';
    this.connect();
  }

  private fail(error: AmplifierApiError): void {
    this.dispose();
    this.options.handlers.onFailed(error);
  }

  private connectLater(): void {
    this.disconnect();
    this.attempt++;
    const { clock, handlers, random } = this.options;
    const delay = { firstMs: this.baseDelayMs, maxMs: this.limits.maxDelayMs };
    this.delayMs = jittered(backoffMs(delay, this.attempt), random);
    this.retryTimer = clock.setTimer(this.delayMs, () => this.connect());
    handlers.onReconnecting(this.attempt, this.delayMs);
  }

  private disconnect(): void {
    this.watchTimer?.dispose();
    this.lastingTimer?.dispose();
    this.connection?.dispose();
    this.connection = undefined;
  }

  private watch(ticksLeft = silentTicks): void {
    this.watchTimer?.dispose();
    this.watchTimer = this.options.clock.setTimer(this.limits.silenceMs / silentTicks, () => {
      const isSuspicious = this.showsKeepAlives || this.options.isExpectingEvents();
      if (this.hasHeard || !isSuspicious) this.watch();
      else if (ticksLeft > 1) this.watch(ticksLeft - 1);
      else this.reconnect();
      this.hasHeard = false;
    });
  }
}

/** Another attempt, by whatever transport, would get the same answer. */
function isFinal({ code, httpStatus }: AmplifierApiError): boolean {
  return code === 'SESSION_NOT_FOUND' || httpStatus === 401 || httpStatus === 403 || httpStatus === 410;
}

/** The server answered, and it will not stream this way. */
function isRefusal({ httpStatus }: AmplifierApiError): boolean {
  if (httpStatus === undefined || httpStatus === 408 || httpStatus === 429) return false;
  return httpStatus < 500 || httpStatus === 501;
}
