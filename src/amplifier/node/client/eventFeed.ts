import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { AmplifierClient } from './amplifierClient';
import { EventDecoder } from './eventDecoder';
import { EventStream, type EventStreamHandlers, type EventStreamLimits } from './eventStream';

interface EventFeedOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly limits: Partial<EventStreamLimits> | undefined;
  readonly isExpectingEvents: () => boolean;
  readonly onEvent: (event: SessionEvent) => void;
  /** A request for an approval came in a shape that cannot be read. */
  readonly onLostApproval: () => void;
  readonly handlers: Omit<EventStreamHandlers, 'onMessage'>;
}

/** What a session's stream tells, as events without secrets. Dispose to close the stream. */
export class EventFeed implements Disposable {
  private readonly stream: EventStream;

  constructor(options: EventFeedOptions) {
    const { client, sessionId, clock, random, log, limits, isExpectingEvents, handlers } = options;
    const decoder = new EventDecoder(sessionId, log, client.redactor, options.onEvent, options.onLostApproval);
    this.stream = new EventStream({
      ...limits,
      eventsUrl: client.eventsUrl(sessionId),
      webSocketUrl: client.webSocketUrl(sessionId),
      headers: client.headers,
      redact: (text) => client.redactor.json(text),
      clock,
      random,
      isExpectingEvents,
      handlers: { ...handlers, onMessage: (message) => decoder.decode(message) },
    });
  }

  /** Before the start: what the server told up to this event is not asked for. */
  goOnAfter(eventId: number): void {
    this.stream.goOnAfter(String(eventId));
  }

  start(): void {
    this.stream.start();
  }

  reconnect(): void {
    this.stream.reconnect();
  }

  dispose(): void {
    this.stream.dispose();
  }
}
