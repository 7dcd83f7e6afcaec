import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../../base/common/log';
import { documentedFailure } from './apiFailure';
import type { ServerLimits } from '../serverLimits';

/** Tracks connections of an HTTP server and limits how many are served. Others get an error response. */
export class HttpConnections {
  private readonly servedSockets = new Set<Socket>();
  private readonly lastResponseBySocket = new WeakMap<Socket, ServerResponse>();

  constructor(
    private readonly httpServer: Server,
    private readonly limits: Pick<ServerLimits, 'maxConnections' | 'maxSockets'>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.httpServer.maxConnections = this.limits.maxSockets;
    // The number of headers is not limited, because `serveWithoutUpgrade` needs all of them. Their total length is
    // limited.
    this.httpServer.maxHeadersCount = 0;
    this.httpServer.on('connection', (socket) => this.handleConnection(socket));
    this.httpServer.on('request', ({ socket }, response) => {
      this.lastResponseBySocket.set(socket, response);
      if (!this.servedSockets.has(socket)) response.shouldKeepAlive = false;
    });
  }

  get servedCount(): number {
    return this.servedSockets.size;
  }

  /**
   * Destroys all connections. This includes connections that Node.js no longer tracks: WebSockets, and connections that
   * wait for `serveWithoutUpgrade`.
   */
  stop(): void {
    this.httpServer.closeAllConnections();
    for (const socket of this.servedSockets) socket.destroy();
  }

  /** Rejects requests of connections above the limit, which close after the response. @throws ApiFailure 429 */
  requireServed({ socket }: IncomingMessage): void {
    if (this.servedSockets.has(socket)) return;
    const { maxConnections } = this.limits;
    throw documentedFailure(
      'RATE_LIMITED',
      `The server has ${maxConnections} open connections. Close one and try again.`,
    );
  }

  /** Serves a request as if without Upgrade header. Node.js has detached the connection, so it is passed again. */
  serveWithoutUpgrade({ method, url, httpVersion, rawHeaders, socket }: IncomingMessage, head: Buffer): void {
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
    }
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
    const begin = (): void => {
      if (socket.destroyed) return;
      socket.setTimeout(0);
      socket.unshift(request);
      this.httpServer.emit('connection', socket);
    };
    // Responses must be sent in the order of the requests.
    const before = this.lastResponseBySocket.get(socket);
    if (before === undefined || before.closed) begin();
    else before.once('close', begin);
  }

  /** Tracks a new connection, or a connection from `serveWithoutUpgrade`. */
  private handleConnection(socket: Socket): void {
    if (this.servedSockets.has(socket)) return;
    // Needed because Node.js removes its own listener after an upgrade.
    socket.on('error', (error) => this.log.debug(`A connection failed: ${error.message}`));
    if (this.servedSockets.size >= this.limits.maxConnections) return;
    this.servedSockets.add(socket);
    socket.once('close', () => this.servedSockets.delete(socket));
  }
}

export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? [];
  return protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket');
}
