import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { WebSocketServer } from 'ws';
import type { Logger } from '../../../../base/common/log';
import { ApiFailure, documentedFailure } from '../http/apiFailure';
import { SseSink, WebSocketSink } from './eventSinks';
import type { ServedSession } from '../sessions/servedSession';
import type { ServerLimits } from '../serverLimits';
import { WebSocketReceiver } from './webSocketReceiver';

/** Opens the two kinds of event streams: Server-Sent Events, and a WebSocket that also accepts commands. */
export class EventStreamOpener {
  private readonly webSocketServer: WebSocketServer;

  constructor(
    private readonly limits: ServerLimits,
    private readonly log: Logger,
  ) {
    const options = {
      noServer: true,
      perMessageDeflate: false,
      maxPayload: limits.maxBodyBytes,
      // The options are in a separate object, because one of them is missing in the types of `ws`.
      closeTimeout: limits.webSocketCloseMs,
    };
    this.webSocketServer = new WebSocketServer(options);
    this.webSocketServer.on('wsClientError', (error, socket) =>
      refuseUpgrade(socket, documentedFailure('INVALID_REQUEST', `${error.message}.`)),
    );
  }

  get webSocketCount(): number {
    return this.webSocketServer.clients.size;
  }

  /** Opens a stream of Server-Sent Events. @throws ApiFailure 429 */
  openSse(session: ServedSession, request: IncomingMessage, response: ServerResponse): void {
    this.checkSubscriberLimit(session);
    const subscription = session.subscribe(new SseSink(response), lastEventId(request));
    response.once('close', () => subscription.dispose());
  }

  /** Opens a WebSocket. @throws ApiFailure 429 */
  openWebSocket(session: ServedSession, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.checkSubscriberLimit(session);
    this.webSocketServer.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', (error) => this.log.debug(`A WebSocket failed: ${error.message}`));
      new WebSocketReceiver({ session, socket: webSocket, log: this.log, limits: this.limits }).start();
      const subscription = session.subscribe(new WebSocketSink(webSocket), lastEventId(request));
      webSocket.once('close', () => subscription.dispose());
    });
  }

  /** Closes the WebSockets, which the HTTP server no longer tracks. */
  stop(): void {
    for (const client of this.webSocketServer.clients) client.terminate();
    this.webSocketServer.close();
  }

  private checkSubscriberLimit(session: ServedSession): void {
    const { maxSubscribers } = this.limits;
    if (session.subscriberCount < maxSubscribers) return;
    throw new ApiFailure(429, 'RATE_LIMITED', `The session has ${maxSubscribers} open streams. Close one first.`);
  }
}

/** Sends an error response to an upgrade request and closes its socket. */
export function refuseUpgrade(socket: Duplex, { httpStatus, headers, body }: ApiFailure): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const lines = Object.entries({
    ...headers,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  }).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  socket.once('finish', () => socket.destroy());
  const head = `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), bytes]));
}

/**
 * Returns the id of the event after which the client continues, or 0. The header is more recent than the query, which
 * browsers repeat when they reconnect.
 */
function lastEventId({ headers, url = '' }: IncomingMessage): number {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const id = headers['last-event-id'] ?? query.get('last_event_id');
  return typeof id === 'string' && /^\d{1,15}$/u.test(id) ? Number(id) : 0;
}
