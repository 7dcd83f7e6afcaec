import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { PortRange } from '../../platform/common/settings';
import { refuseUpgrade, type Refusal } from '../../wire/node/localRequest';
import { bindPort } from './portBinder';
import type { UpgradeGuard } from './upgradeGuard';

interface WebSocketListenerDeps {
  readonly guard: UpgradeGuard;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxFrameBytes: number;
  readonly handshakeTimeoutMs: number;
  readonly maxHandshakes: number;
  readonly isFull: () => boolean;
  readonly onConnection: (socket: WebSocket, request: IncomingMessage) => void;
}

const tooManyClients: Refusal = {
  status: 503,
  message: 'Too many clients are connected. End one, then connect again.',
};

/** Listens on the loopback interface and accepts only WebSockets that pass the guard. */
export class WebSocketListener {
  private readonly httpServer: Server;
  private readonly webSocketServer: WebSocketServer;
  /** Sockets that are not upgraded yet, the oldest first, and their time-outs. */
  private readonly handshakeTimers = new Map<Duplex, Disposable>();
  private binding: Promise<number> | undefined;
  private isStopped = false;

  constructor(private readonly deps: WebSocketListenerDeps) {
    this.httpServer = createServer();
    this.webSocketServer = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: deps.maxFrameBytes,
    });
  }

  /** Starts listening. Returns the port; see `bindPort`. */
  async start(range: PortRange, isTaken: (port: number) => boolean): Promise<number> {
    const { httpServer, deps } = this;
    httpServer.on('connection', (socket) => this.limitHandshakeTime(socket));
    httpServer.on('upgrade', (request, socket, head) => this.handleUpgrade(request, socket, head));
    httpServer.on('request', (_request, response) => {
      response.writeHead(426, { Connection: 'close, Upgrade', Upgrade: 'websocket', 'Content-Type': 'text/plain' });
      response.end('Connect with a WebSocket.\n');
    });
    this.binding = bindPort(httpServer, range, isTaken);
    const port = await this.binding;
    httpServer.on('error', (error) => deps.log.error('The server socket failed', error));
    if (this.isStopped) {
      await this.closeHttpServer();
      throw new Error('The server was stopped while it was starting.');
    }
    return port;
  }

  /** Stops listening, and closes sockets that are not upgraded. Resolves when all sockets are closed. */
  async stop(): Promise<void> {
    this.isStopped = true;
    // A server that is closed before it listens would never report that it listens.
    await this.binding?.catch(() => undefined);
    await this.closeHttpServer();
  }

  private closeHttpServer(): Promise<void> {
    for (const socket of this.handshakeTimers.keys()) socket.destroy();
    return new Promise((resolve) => this.httpServer.close(() => resolve()));
  }

  private limitHandshakeTime(socket: Duplex): void {
    const { clock, log, handshakeTimeoutMs, maxHandshakes } = this.deps;
    const [oldest] = this.handshakeTimers.keys();
    if (oldest && this.handshakeTimers.size >= maxHandshakes) {
      log.debug(`A connection is ended because ${maxHandshakes} others have not asked for an upgrade yet`);
      this.clearHandshakeTimer(oldest);
      oldest.destroy();
    }
    const deadline = clock.setTimer(handshakeTimeoutMs, () => {
      log.debug('A connection asked for no upgrade in time');
      socket.destroy();
    });
    this.handshakeTimers.set(socket, deadline);
    socket.once('close', () => this.clearHandshakeTimer(socket));
  }

  private clearHandshakeTimer(socket: Duplex): void {
    this.handshakeTimers.get(socket)?.dispose();
    this.handshakeTimers.delete(socket);
  }

  private handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { guard, log, isFull, onConnection } = this.deps;
    // At this point, neither the HTTP server nor the WebSocket handles errors of this socket.
    const onError = (error: Error): void => log.debug(`A connection failed before its upgrade: ${error.message}`);
    socket.on('error', onError);
    const refusal = guard.checkRequest(request) ?? (isFull() ? tooManyClients : undefined);
    if (refusal) {
      log.debug(`Refused a connection with ${refusal.status}: ${refusal.message}`);
      refuseUpgrade(socket, refusal);
      return;
    }
    this.webSocketServer.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', onError);
      this.clearHandshakeTimer(socket);
      onConnection(webSocket, request);
    });
  }
}
