import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../../base/common/log';
import { documented } from './apiFailure';
import type { ServerLimits } from '../serverLimits';

/** The connections of an HTTP server: as many as it serves, and those above that, until they have been told so. */
export class HttpConnections {
  private readonly served = new Set<Socket>();
  private readonly last = new WeakMap<Socket, ServerResponse>();

  constructor(
    private readonly http: Server,
    private readonly limits: Pick<ServerLimits, 'maxConnections' | 'maxSockets'>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.http.maxConnections = this.limits.maxSockets;
    // Their length is limited; what is left out would be missing where a request is read again.
    this.http.maxHeadersCount = 0;
    this.http.on('connection', (socket) => this.opened(socket));
    this.http.on('request', ({ socket }, response) => {
      this.last.set(socket, response);
      if (!this.served.has(socket)) response.shouldKeepAlive = false;
    });
  }

  /** Those that are served. */
  get count(): number {
    return this.served.size;
  }

  /** Cuts them all off, also those that Node.js has given up: the ones that wait to begin anew, and WebSockets. */
  stop(): void {
    this.http.closeAllConnections();
    for (const socket of this.served) socket.destroy();
  }

  /** @throws ApiFailure 429 on a connection that is not served; it ends with the answer */
  check({ socket }: IncomingMessage): void {
    if (this.served.has(socket)) return;
    const { maxConnections } = this.limits;
    throw documented('RATE_LIMITED', `This server holds ${maxConnections} connections. Close one, and try again.`);
  }

  /**
   * Serves a request that offers to change to another protocol, as if it did not: whoever sends it must take that.
   * Node.js has given its connection up, so it begins anew there with the same bytes, without the offer.
   */
  serveUnchanged({ method, url, httpVersion, rawHeaders, socket }: IncomingMessage, head: Buffer): void {
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    }
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
    const begin = (): void => {
      if (socket.destroyed) return;
      socket.setTimeout(0);
      socket.unshift(request);
      this.http.emit('connection', socket);
    };
    // Answers go out in the order of their requests.
    const before = this.last.get(socket);
    if (before === undefined || before.closed) begin();
    else before.once('close', begin);
  }

  /** Comes again for a connection that begins anew. */
  private opened(socket: Socket): void {
    if (this.served.has(socket)) return;
    // Also where Node.js does not listen any more: after an upgrade, and between two beginnings.
    socket.on('error', (error) => this.log.debug(`A connection failed: ${error.message}`));
    if (this.served.size >= this.limits.maxConnections) return;
    this.served.add(socket);
    socket.once('close', () => this.served.delete(socket));
  }
}

/** Whether it asks for a WebSocket, among other things perhaps. */
export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? [];
  return protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket');
}
