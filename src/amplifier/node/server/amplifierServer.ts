import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { withDeadline, type Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { ReceivedApprovalAnswer } from '../../common/api/apiSchema';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { ApiFailure, documentedFailure, validationFailure, toApiFailure } from './http/apiFailure';
import { EventStreamOpener, refuseUpgrade } from './streams/eventStreamOpener';
import { HttpConnections, isWebSocketRequest } from './http/httpConnections';
import { BodyMemoryBudget, readJsonBody, sendFailure, sendJson } from './http/httpBodies';
import { ProfileDirectory } from './sessions/profileDirectory';
import { RequestGuard } from './http/requestGuard';
import { NewSessionBody, PromptBody, SessionListQuery } from './http/requestSchemas';
import { RouteTable, type ApiResponse, type ApiRequest, type Routes } from './http/routeTable';
import { defaultServerLimits, type ServerLimits } from './serverLimits';
import { SessionRegistry, type SessionLoadCounts } from './sessions/sessionRegistry';
import { SessionStarter, type AgentWorkspace } from './sessions/sessionStarter';
import { keptSocketMs } from '../../../wire/node/idleSockets';

export interface AmplifierServerDeps {
  /** The backends to serve. The server does not own them, so stop them after the server. */
  readonly backends: Pick<BackendRegistry, 'list' | 'open'>;
  readonly workspace: AgentWorkspace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  readonly version: string;
  readonly host: '127.0.0.1' | '::1' | 'localhost';
  /** Ports to try, in this order. 0 means any free port. */
  readonly ports: readonly number[];
  /** The token that clients must send. Without a token, every program on this machine can use the server. */
  readonly token: string | undefined;
  readonly profilesFrom: string;
  readonly limits?: Partial<ServerLimits>;
}

interface ServerLoad extends SessionLoadCounts {
  readonly connections: number;
  readonly webSockets: number;
  readonly requests: number;
  readonly heldBytes: number;
}

/** Serves sessions of backends to clients of Amplifier's REST, SSE and WebSocket API. */
export class AmplifierServer {
  private readonly limits: ServerLimits;
  private readonly httpServer: Server;
  private readonly connections: HttpConnections;
  private readonly requestGuard: RequestGuard;
  private readonly routeTable: RouteTable;
  private readonly profileDirectory: ProfileDirectory;
  private readonly sessionRegistry: SessionRegistry;
  private readonly eventStreamOpener: EventStreamOpener;
  private readonly bodyMemory: BodyMemoryBudget;
  private openRequestCount = 0;
  private startedAtMs = 0;
  private boundPort = 0;

  constructor(private readonly deps: AmplifierServerDeps) {
    const { backends, log, token, version } = deps;
    this.limits = { ...defaultServerLimits, ...deps.limits };
    const { headersTimeoutMs, maxUrlLength, requestTimeoutMs } = this.limits;
    this.httpServer = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keptSocketMs,
      connectionsCheckingInterval: headersTimeoutMs / 2,
      // Node.js need not check the Host header, because `RequestGuard` does this and sends an error message.
      requireHostHeader: false,
    });
    this.connections = new HttpConnections(this.httpServer, this.limits, log);
    this.bodyMemory = new BodyMemoryBudget(this.limits.maxTotalBodyBytes);
    this.requestGuard = new RequestGuard(token, maxUrlLength);
    this.profileDirectory = new ProfileDirectory(backends, version);
    const { limits, profileDirectory } = this;
    const starter = new SessionStarter({ ...deps, profileDirectory, limits });
    this.sessionRegistry = new SessionRegistry({ ...deps, starter, limits });
    this.eventStreamOpener = new EventStreamOpener(this.limits, log);
    this.routeTable = new RouteTable(this.routeList());
  }

  /** The URL of the server, without a trailing slash. */
  get url(): string {
    const { host } = this.deps;
    return `http://${host === '::1' ? '[::1]' : host}:${this.boundPort}`;
  }

  get loadCounts(): ServerLoad {
    return {
      connections: this.connections.servedCount,
      webSockets: this.eventStreamOpener.webSocketCount,
      requests: this.openRequestCount,
      heldBytes: this.bodyMemory.usedBytes,
      ...this.sessionRegistry.loadCounts,
    };
  }

  /** Starts to listen for connections. @throws Error if no port is free */
  async start(): Promise<void> {
    this.connections.start();
    this.httpServer.on('request', (request, response) => void this.handleRequest(request, response));
    this.httpServer.on('checkExpectation', (_request, response) => {
      sendFailure(response, new ApiFailure(417, 'INVALID_REQUEST', 'Only "Expect: 100-continue" is supported.'));
    });
    this.httpServer.on('upgrade', (request, socket, head) => this.handleUpgrade(request, socket, head));
    this.httpServer.on('clientError', (error, socket) => refuseMalformed(error, socket));
    this.boundPort = await this.bindPort();
    this.httpServer.on('error', (error) => this.deps.log.error('The server socket failed', error));
    this.startedAtMs = this.deps.clock.monotonicNow();
  }

  /** Ends all sessions and connections. Resolves when the port is free again. Never rejects. */
  async stop(): Promise<void> {
    const { clock } = this.deps;
    const closed = new Promise<void>((resolve) => this.httpServer.close(() => resolve()));
    await this.sessionRegistry.stop();
    // Subscribers have already received the end of their session and can disconnect before the time limit.
    await withDeadline(clock, 'closing', this.limits.drainTimeoutMs, () => closed).catch(() => undefined);
    this.eventStreamOpener.stop();
    this.connections.stop();
    await closed;
  }

  private routeList(): Routes {
    const { eventStreamOpener, profileDirectory, sessionRegistry } = this;
    return {
      'GET /sessions': { answer: ({ query }) => this.listSessions(query) },
      'POST /sessions': { answer: (request) => this.createSession(request) },
      'GET /sessions/{id}': { answer: ({ id }) => ok(sessionRegistry.get(id).statusDetails) },
      'DELETE /sessions/{id}': {
        answer: async ({ id }) => {
          await sessionRegistry.delete(id);
          return ok({ status: 'stopped', message: 'Session stopped and cleaned up' });
        },
      },
      'POST /sessions/{id}/prompt': {
        answer: async ({ id, json }) => {
          const session = sessionRegistry.get(id);
          const { requestId } = await session.prompt(await json(PromptBody));
          const message = 'Prompt submitted, subscribe to events for response';
          return { status: 202, body: { request_id: requestId, status: 'processing', message } };
        },
      },
      'POST /sessions/{id}/approval': {
        answer: async ({ id, json }) => {
          const session = sessionRegistry.get(id);
          const isAllowed = await session.answerApproval(await json(ReceivedApprovalAnswer));
          return ok({ status: isAllowed ? 'approved' : 'denied', message: 'Approval decision recorded' });
        },
      },
      'POST /sessions/{id}/cancel': {
        answer: async ({ id }) => {
          await sessionRegistry.get(id).cancel();
          return ok({ status: 'cancelled', message: 'The turn has ended; the session continues' });
        },
      },
      'GET /sessions/{id}/events': {
        stream: (id, request, response) => eventStreamOpener.openSse(sessionRegistry.get(id), request, response),
      },
      'GET /sessions/{id}/ws': {
        upgrade: (id, request, socket, head) =>
          eventStreamOpener.openWebSocket(sessionRegistry.get(id), request, socket, head),
      },
      'GET /profiles': {
        answer: async ({ query }) => ok(await profileDirectory.listProfiles(query.get('collection'))),
      },
      'GET /profiles/{id}': { answer: async ({ id }) => ok(await profileDirectory.describeProfile(id)) },
      'GET /collections': { answer: async () => ok(await profileDirectory.listCollections()) },
      'GET /agents': { answer: async ({ query }) => ok(await profileDirectory.listAgents(query.get('collection'))) },
      'GET /health': { answer: () => ok(this.healthBody()) },
      'GET /info': { answer: () => ok(this.infoBody()) },
    };
  }

  private async createSession({ json, signal }: ApiRequest): Promise<ApiResponse> {
    const request = await json(NewSessionBody);
    const { session, notices } = await this.sessionRegistry.create(request, signal);
    const { session_id, profile, created_at } = session.statusSummary;
    // The client has disconnected before it received the id of the session.
    if (signal.aborted) await this.sessionRegistry.delete(session_id);
    // `message` is not in the API reference, so it is sent only if needed.
    const message = profile === request.profile ? {} : { message: notices[0] };
    return { status: 201, body: { session_id, status: 'created', profile, created_at, ...message } };
  }

  private listSessions(query: URLSearchParams): ApiResponse {
    const parsed = SessionListQuery.safeParse(Object.fromEntries(query));
    if (!parsed.success) throw validationFailure(parsed.error);
    const found = this.sessionRegistry.list(parsed.data.status).map(({ statusSummary: summary }) => summary);
    return ok({ sessions: found.slice(0, parsed.data.limit), total: found.length });
  }

  private healthBody(): object {
    const uptimeMs = this.deps.clock.monotonicNow() - this.startedAtMs;
    return {
      status: 'healthy',
      version: this.deps.version,
      uptime_seconds: Math.floor(uptimeMs / 1000),
      active_sessions: this.sessionRegistry.count,
    };
  }

  private infoBody(): object {
    const { host, profilesFrom, version } = this.deps;
    return {
      version,
      // There is no Amplifier core. The field indicates that token usage is reported per turn, as documented.
      amplifier_core_version: '0.0.0',
      capabilities: { streaming: true, extended_thinking: true, tool_use: true },
      config: { host, port: this.boundPort, profiles_path: profilesFrom, collections_path: profilesFrom },
    };
  }

  /** Handles a request and sends the response. Never rejects. */
  private async handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.openRequestCount++;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.on('error', (error) => this.deps.log.debug(`A response failed: ${error.message}`));
    try {
      this.connections.requireServed(request);
      const { query, route, id } = this.checkAndFindRoute(request);
      if ('upgrade' in route) {
        throw new ApiFailure(426, 'INVALID_REQUEST', 'Connect with a WebSocket.', {}, { Upgrade: 'websocket' });
      }
      if ('stream' in route) {
        route.stream(id, request, response);
        return;
      }
      const limits = { maxBytes: this.limits.maxBodyBytes, held: this.bodyMemory };
      const { status, body } = await route.answer({
        id,
        query,
        signal: gone.signal,
        json: (schema) => readJsonBody(request, schema, limits),
      });
      sendJson(response, status, body);
    } catch (error) {
      sendFailure(response, this.toLoggedFailure(error));
    } finally {
      this.openRequestCount--;
    }
  }

  private handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      this.connections.requireServed(request);
      if (!isWebSocketRequest(request)) {
        this.connections.serveWithoutUpgrade(request, head);
        return;
      }
      const { id, route } = this.checkAndFindRoute(request);
      if (!('upgrade' in route)) throw documentedFailure('INVALID_REQUEST', 'Only /sessions/{id}/ws is a WebSocket.');
      route.upgrade(id, request, socket, head);
    } catch (error) {
      refuseUpgrade(socket, this.toLoggedFailure(error));
    }
  }

  /** Checks the request and finds its route. @throws ApiFailure if the request is not allowed or has no route */
  private checkAndFindRoute(request: IncomingMessage) {
    this.requestGuard.check(request);
    const { method = '', url = '' } = request;
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    return { ...this.routeTable.find(method, path), query: new URLSearchParams(url.slice(path.length)) };
  }

  private async bindPort(): Promise<number> {
    const { host, ports } = this.deps;
    for (const port of ports) {
      this.httpServer.listen({ host, port, exclusive: true });
      try {
        await once(this.httpServer, 'listening');
      } catch (error) {
        if (errorCode(error) === 'EADDRINUSE' || errorCode(error) === 'EACCES') continue;
        throw error;
      }
      const address = this.httpServer.address();
      if (address !== null && typeof address === 'object') return address.port;
    }
    throw new Error(`Port ${ports.join(', ')} on ${host} is already in use. Choose another one.`);
  }

  private toLoggedFailure(error: unknown): ApiFailure {
    const failure = toApiFailure(error);
    if (failure.httpStatus >= 500)
      this.deps.log.error(`A request was answered ${failure.httpStatus}`, failure.cause ?? failure);
    return failure;
  }
}

function refuseMalformed(error: Error, socket: Duplex): void {
  if (!socket.writable || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = malformed[errorCode(error) ?? ''] ?? [400, 'Send an HTTP/1.1 request.'];
  refuseUpgrade(socket, new ApiFailure(status, 'INVALID_REQUEST', message));
}

const malformed: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

function ok(body: object): ApiResponse {
  return { status: 200, body };
}
