import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import type { RunningAgent } from '../connection/agentConnection';
import { IdleConnectionDetector } from './idleConnectionDetector';
import { refuseUpgrade, type Refusal } from '../../../wire/node/localRequest';
import { keptSocketMs } from '../../../wire/node/idleSockets';
import { agentUrlPath, RequestGate } from './requestGate';
import { ServedAgent } from './servedAgent';
import { defaultServeLimits, type ServeLimits } from './serveLimits';

export interface AgentServerDeps {
  /** Starts an agent for one connection. The server stops it. */
  readonly startAgent: () => Promise<RunningAgent>;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The token that clients must send; undefined if they need none. */
  readonly token: string | undefined;
  /** Additional host names that clients may use. */
  readonly allowedHosts: readonly string[];
  /** PEM texts. Without them, the server uses unencrypted HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<ServeLimits>;
}

const connectionHeader = 'acp-connection-id';

/** Offers an agent over Streamable HTTP and WebSocket. Each connection has its own agent process. */
export class AgentServer {
  private readonly limits: ServeLimits;
  private readonly httpServer: http.Server;
  private readonly webSockets: WebSocketServer;
  private readonly gate: RequestGate;
  private readonly acp: AcpServer;
  private readonly idleDetector: IdleConnectionDetector;
  private readonly acpRequestHandler: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  private readonly acpUpgradeHandler: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void;
  private readonly agents = new Set<ServedAgent>();
  /** Requests for a new connection that have no agent yet. Their bodies may still be arriving. */
  private readonly opening = new Set<unknown>();
  private readonly currentOpening = new AsyncLocalStorage<object>();
  /** All sockets, also those that have not finished their TLS handshake. */
  private readonly sockets = new Set<Socket>();
  private boundPort = 0;

  constructor(private readonly deps: AgentServerDeps) {
    const { clock, startAgent, log, tls } = deps;
    const limits = (this.limits = { ...defaultServeLimits, ...deps.limits });
    const { headersTimeoutMs: headersTimeout, maxMessageBytes, maxWaitingBytes } = limits;
    // `watchBody` limits the pauses in a body instead.
    const options = { headersTimeout, requestTimeout: 0, keepAliveTimeout: keptSocketMs, requireHostHeader: false };
    const tlsOptions = { ...tls, handshakeTimeout: headersTimeout };
    this.httpServer = tls ? https.createServer({ ...options, ...tlsOptions }) : http.createServer(options);
    this.httpServer.maxConnections = limits.maxSockets;
    this.gate = new RequestGate({ ...deps, maxUrlLength: limits.maxUrlLength });
    const connect = (stream: ConstructorParameters<typeof ServedAgent>[0]): ServedAgent => {
      const agent = new ServedAgent(stream, { startAgent, log, maxWaitingBytes });
      this.agents.add(agent);
      // From now on, the agent counts instead.
      this.opening.delete(this.currentOpening.getStore());
      void agent.closed.then(() => this.agents.delete(agent));
      return agent;
    };
    this.acp = new AcpServer({ agent: { connect }, maxBufferedBytes: maxWaitingBytes });
    this.acpRequestHandler = createNodeHttpHandler(this.acp, { maxRequestBodyBytes: maxMessageBytes });
    this.webSockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
    this.acpUpgradeHandler = createNodeWebSocketUpgradeHandler(this.acp, this.watchedWebSockets());
    this.idleDetector = new IdleConnectionDetector(clock, limits.idleMs, (id) => void this.endIdle(id));
  }

  /** The URL of the agent for clients on this machine. */
  get url(): string {
    const { host, tls } = this.deps;
    const name = host.includes(':') ? `[${host}]` : host;
    return `${tls ? 'https' : 'http'}://${name}:${this.boundPort}${agentUrlPath}`;
  }

  get agentCount(): number {
    return this.agents.size;
  }

  /** Starts to listen. @throws Error if the port is not free, or the certificate is not usable */
  async start(): Promise<void> {
    const { host, log, port } = this.deps;
    this.httpServer.on('request', (request, response) => this.handleRequest(request, response));
    this.httpServer.on('upgrade', (request: http.IncomingMessage, socket: Duplex, head: Buffer) =>
      this.handleUpgrade(request, socket, head),
    );
    this.httpServer.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.httpServer.on('clientError', (_error, socket) => socket.destroy());
    this.httpServer.listen({ host, port, exclusive: true });
    await once(this.httpServer, 'listening');
    this.httpServer.on('error', (error) => log.error('The server socket failed', error));
    const address = this.httpServer.address();
    if (address !== null && typeof address === 'object') this.boundPort = address.port;
  }

  /** Ends all connections and their agents. Resolves when the processes have ended and the port is free. Never rejects. */
  async stop(): Promise<void> {
    this.idleDetector.dispose();
    const closed = new Promise<void>((resolve) => this.httpServer.close(() => resolve()));
    const agents = [...this.agents].map((agent) => agent.closed);
    await this.acp.close().catch((error: unknown) => this.deps.log.error('Connections did not close', error));
    for (const socket of this.webSockets.clients) socket.terminate();
    for (const socket of this.sockets) socket.destroy();
    await Promise.all([closed, ...agents]);
  }

  private handleRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    response.on('error', (error) => this.deps.log.debug(`A response failed: ${error.message}`));
    // The SDK treats an empty header as a missing one.
    const [givenId = ''] = request.headersDistinct[connectionHeader] ?? [];
    const connectionId = givenId === '' ? undefined : givenId;
    const isNew = request.method === 'POST' && connectionId === undefined;
    const refusal = this.gate.refusalOf(request) ?? this.fullRefusal(isNew);
    if (refusal) {
      refuse(response, refusal);
      return;
    }
    this.watchBody(request);
    if (connectionId === undefined) this.trackNewConnection(response);
    else {
      const use = this.idleDetector.use(connectionId);
      response.once('close', () => {
        use.dispose();
        if (request.method === 'DELETE') this.idleDetector.remove(connectionId);
      });
    }
    const handle = (): void => this.acpRequestHandler(request, response);
    if (isNew) this.countWhileOpening(response, handle);
    else handle();
  }

  /** Counts a request for a new connection until it has an agent or is over. */
  private countWhileOpening(request: Writable, work: () => void): void {
    this.opening.add(request);
    request.once('close', () => this.opening.delete(request));
    this.currentOpening.run(request, work);
  }

  /** Ends a request whose body stops arriving. A long body may take long on a slow line. */
  private watchBody(request: http.IncomingMessage): void {
    const { clock } = this.deps;
    const { requestTimeoutMs } = this.limits;
    let { bytesRead } = request.socket;
    const check = (): void => {
      if (request.complete) return;
      if (request.socket.bytesRead === bytesRead) {
        request.socket.destroy();
        return;
      }
      ({ bytesRead } = request.socket);
      timer = clock.setTimer(requestTimeoutMs, check);
    };
    let timer = clock.setTimer(requestTimeoutMs, check);
    for (const end of ['end', 'close'] as const) request.once(end, () => timer.dispose());
  }

  /** Tracks a new connection by the id that the SDK puts in the response headers. */
  private trackNewConnection(response: http.ServerResponse): void {
    response.once('close', () => {
      const id = response.getHeader(connectionHeader);
      if (typeof id === 'string') this.idleDetector.use(id).dispose();
    });
  }

  private handleUpgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', (error) => this.deps.log.debug(`A connection failed: ${error.message}`));
    const refusal = this.gate.refusalOf(request) ?? this.fullRefusal(true);
    if (refusal) {
      refuseUpgrade(socket, refusal);
      return;
    }
    this.countWhileOpening(socket, () => this.acpUpgradeHandler(request, socket, head));
  }

  private fullRefusal(isNew: boolean): Refusal | undefined {
    const { maxConnections } = this.limits;
    if (!isNew || this.agents.size + this.opening.size < maxConnections) return undefined;
    return { status: 503, message: `The server has ${maxConnections} connections. Close one and try again.` };
  }

  private watchedWebSockets(): Parameters<typeof createNodeWebSocketUpgradeHandler>[1] {
    const { webSockets } = this;
    return {
      on: (event, listener) => webSockets.on(event, listener),
      off: (event, listener) => webSockets.off(event, listener),
      handleUpgrade: (request, socket, head, callback) =>
        webSockets.handleUpgrade(request, socket, head, (webSocket) => {
          this.watch(webSocket, request.socket);
          callback(webSocket);
        }),
    };
  }

  /** Ends a WebSocket that sends no first message in time, or does not answer pings. */
  private watch(socket: WebSocket, connection: Pick<Socket, 'bytesRead'>): void {
    const { clock } = this.deps;
    const { firstMessageTimeoutMs, pingMs } = this.limits;
    let isAlive = true;
    let { bytesRead } = connection;
    const first = clock.setTimer(firstMessageTimeoutMs, () => socket.terminate());
    const check = (): void => {
      // While a long message arrives slowly, pongs are delayed.
      if (!isAlive && connection.bytesRead === bytesRead) socket.terminate();
      else {
        isAlive = false;
        ({ bytesRead } = connection);
        socket.ping();
        pings = clock.setTimer(pingMs, check);
      }
    };
    let pings = clock.setTimer(pingMs, check);
    const recordHeartbeat = (): void => {
      isAlive = true;
    };
    socket.once('message', () => first.dispose());
    for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, recordHeartbeat);
    socket.on('error', (error) => this.deps.log.debug(`A WebSocket failed: ${error.message}`));
    socket.on('close', () => {
      first.dispose();
      pings.dispose();
    });
  }

  private async endIdle(connectionId: string): Promise<void> {
    const headers = { [connectionHeader]: connectionId };
    await this.acp.handleRequest(new Request(`http://localhost${agentUrlPath}`, { method: 'DELETE', headers }));
  }
}

function refuse(response: http.ServerResponse, { message, status }: Refusal): void {
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  // The body of the request is not read.
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close', ...challenge });
  response.end(message);
}
