import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { withDeadline, type Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { ApprovalRequest } from '../../common/api/apiSchema';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { ApiFailure, documented, invalidFields, toApiFailure } from './http/apiFailure';
import { EventStreams, refuseUpgrade } from './streams/eventStreams';
import { HttpConnections, isWebSocketRequest } from './http/httpConnections';
import { HeldBytes, readJson, sendFailure, sendJson } from './http/httpBodies';
import { ProfileDirectory } from './sessions/profileDirectory';
import { RequestGuard } from './http/requestGuard';
import { NewSession, PromptBody, SessionQuery } from './http/requestSchemas';
import { RouteTable, type ApiAnswer, type ApiRequest, type Routes } from './http/routeTable';
import { defaultServerLimits, type ServerLimits } from './serverLimits';
import { SessionRegistry, type SessionLoad } from './sessions/sessionRegistry';
import { SessionStarter, type Workspace } from './sessions/sessionStarter';

export interface AmplifierServerOptions {
  /** Not owned: stop them after the server. */
  readonly backends: Pick<BackendRegistry, 'list' | 'open'>;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  readonly version: string;
  /** A loopback address. */
  readonly host: '127.0.0.1' | '::1' | 'localhost';
  /** Tried in this order; 0 means any free port. */
  readonly ports: readonly number[];
  /** Without a token, every program on this machine may use the server. */
  readonly token: string | undefined;
  /** Describes the source of the profiles in `GET /info`. */
  readonly profilesFrom: string;
  readonly limits?: Partial<ServerLimits>;
}

interface ServerLoad extends SessionLoad {
  readonly connections: number;
  readonly webSockets: number;
  /** Requests without a response yet. */
  readonly requests: number;
  /** Bytes of bodies that are being read. */
  readonly heldBytes: number;
}

/** Serves sessions of backends to clients of Amplifier's REST, SSE and WebSocket API. */
export class AmplifierServer {
  private readonly limits: ServerLimits;
  private readonly http: Server;
  private readonly connections: HttpConnections;
  private readonly guard: RequestGuard;
  private readonly routes: RouteTable;
  private readonly profiles: ProfileDirectory;
  private readonly sessions: SessionRegistry;
  private readonly streams: EventStreams;
  private readonly bodies: HeldBytes;
  private requests = 0;
  private startedAtMs = 0;
  private boundPort = 0;

  constructor(private readonly options: AmplifierServerOptions) {
    const { backends, log, token, version } = options;
    this.limits = { ...defaultServerLimits, ...options.limits };
    const { headersTimeoutMs, maxUrlLength, requestTimeoutMs } = this.limits;
    this.http = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / 2,
      // Checked by the guard, whose error response has a message.
      requireHostHeader: false,
    });
    this.connections = new HttpConnections(this.http, this.limits, log);
    this.bodies = new HeldBytes(this.limits.maxHeldBytes);
    this.guard = new RequestGuard(token, maxUrlLength);
    this.profiles = new ProfileDirectory(backends, version);
    const { limits, profiles } = this;
    const starter = new SessionStarter({ ...options, profiles, limits });
    this.sessions = new SessionRegistry({ ...options, starter, limits });
    this.streams = new EventStreams(this.limits, log);
    this.routes = new RouteTable(this.routeList());
  }

  /** Without a trailing slash. */
  get url(): string {
    const { host } = this.options;
    return `http://${host === '::1' ? '[::1]' : host}:${this.boundPort}`;
  }

  /** The resources currently in use. */
  get load(): ServerLoad {
    return {
      connections: this.connections.count,
      webSockets: this.streams.webSocketCount,
      requests: this.requests,
      heldBytes: this.bodies.count,
      ...this.sessions.load,
    };
  }

  /** @throws Error if no port is free */
  async start(): Promise<void> {
    this.connections.start();
    this.http.on('request', (request, response) => void this.serve(request, response));
    this.http.on('checkExpectation', (_request, response) => {
      sendFailure(response, new ApiFailure(417, 'INVALID_REQUEST', 'Only "Expect: 100-continue" is supported.'));
    });
    this.http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.http.on('clientError', (error, socket) => refuseMalformed(error, socket));
    this.boundPort = await this.bind();
    this.http.on('error', (error) => this.options.log.error('The server socket failed', error));
    this.startedAtMs = this.options.clock.monotonicNow();
  }

  /** Ends all sessions and connections. Resolves when the port is free again. Never rejects. */
  async stop(): Promise<void> {
    const { clock } = this.options;
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    await this.sessions.stop();
    // Subscribers have received the end of their session and disconnect.
    await withDeadline(clock, 'closing', this.limits.drainTimeoutMs, () => closed).catch(() => undefined);
    this.streams.stop();
    this.connections.stop();
    await closed;
  }

  private routeList(): Routes {
    const { profiles, sessions, streams } = this;
    return {
      'GET /sessions': { answer: ({ query }) => this.list(query) },
      'POST /sessions': { answer: (request) => this.create(request) },
      'GET /sessions/{id}': { answer: ({ id }) => ok(sessions.get(id).details) },
      'DELETE /sessions/{id}': {
        answer: async ({ id }) => {
          await sessions.delete(id);
          return ok({ status: 'stopped', message: 'Session stopped and cleaned up' });
        },
      },
      'POST /sessions/{id}/prompt': {
        answer: async ({ id, json }) => {
          const session = sessions.get(id);
          const { requestId } = await session.prompt(await json(PromptBody));
          const message = 'Prompt submitted, subscribe to events for response';
          return { status: 202, body: { request_id: requestId, status: 'processing', message } };
        },
      },
      'POST /sessions/{id}/approval': {
        answer: async ({ id, json }) => {
          const session = sessions.get(id);
          const isAllowed = await session.approve(await json(ApprovalRequest));
          return ok({ status: isAllowed ? 'approved' : 'denied', message: 'Approval decision recorded' });
        },
      },
      'POST /sessions/{id}/cancel': {
        answer: async ({ id }) => {
          await sessions.get(id).cancel();
          return ok({ status: 'cancelled', message: 'The turn has ended; the session goes on' });
        },
      },
      'GET /sessions/{id}/events': {
        stream: (id, request, response) => streams.openSse(sessions.get(id), request, response),
      },
      'GET /sessions/{id}/ws': {
        upgrade: (id, request, socket, head) => streams.openWebSocket(sessions.get(id), request, socket, head),
      },
      'GET /profiles': { answer: async ({ query }) => ok(await profiles.profiles(query.get('collection'))) },
      'GET /profiles/{id}': { answer: async ({ id }) => ok(await profiles.profile(id)) },
      'GET /collections': { answer: async () => ok(await profiles.collections()) },
      'GET /agents': { answer: async ({ query }) => ok(await profiles.agents(query.get('collection'))) },
      'GET /health': { answer: () => ok(this.health()) },
      'GET /info': { answer: () => ok(this.info()) },
    };
  }

  private async create({ json, signal }: ApiRequest): Promise<ApiAnswer> {
    const request = await json(NewSession);
    const { session, notices } = await this.sessions.create(request, signal);
    const { session_id, profile, created_at } = session.summary;
    // The client disconnected before it learned the id of the session.
    if (signal.aborted) await this.sessions.delete(session_id);
    // `message` is undocumented, so it is sent only if needed.
    const message = profile === request.profile ? {} : { message: notices[0] };
    return { status: 201, body: { session_id, status: 'created', profile, created_at, ...message } };
  }

  private list(query: URLSearchParams): ApiAnswer {
    const parsed = SessionQuery.safeParse(Object.fromEntries(query));
    if (!parsed.success) throw invalidFields(parsed.error);
    const found = this.sessions.list(parsed.data.status).map(({ summary }) => summary);
    return ok({ sessions: found.slice(0, parsed.data.limit), total: found.length });
  }

  private health(): object {
    const uptimeMs = this.options.clock.monotonicNow() - this.startedAtMs;
    return {
      status: 'healthy',
      version: this.options.version,
      uptime_seconds: Math.floor(uptimeMs / 1000),
      active_sessions: this.sessions.count,
    };
  }

  private info(): object {
    const { host, profilesFrom, version } = this.options;
    return {
      version,
      // There is no Amplifier core. The field tells clients that token usage is per turn, as documented.
      amplifier_core_version: '0.0.0',
      capabilities: { streaming: true, extended_thinking: true, tool_use: true },
      config: { host, port: this.boundPort, profiles_path: profilesFrom, collections_path: profilesFrom },
    };
  }

  /** Never rejects. */
  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.on('error', (error) => this.options.log.debug(`A response failed: ${error.message}`));
    try {
      this.connections.check(request);
      const { query, route, id } = this.find(request);
      if ('upgrade' in route) {
        throw new ApiFailure(426, 'INVALID_REQUEST', 'Connect with a WebSocket.', {}, { Upgrade: 'websocket' });
      }
      if ('stream' in route) {
        route.stream(id, request, response);
        return;
      }
      const limits = { maxBytes: this.limits.maxBodyBytes, held: this.bodies };
      const { status, body } = await route.answer({
        id,
        query,
        signal: gone.signal,
        json: (schema) => readJson(request, schema, limits),
      });
      sendJson(response, status, body);
    } catch (error) {
      sendFailure(response, this.failureOf(error));
    } finally {
      this.requests--;
    }
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      this.connections.check(request);
      if (!isWebSocketRequest(request)) {
        this.connections.serveUnchanged(request, head);
        return;
      }
      const { id, route } = this.find(request);
      if (!('upgrade' in route)) throw documented('INVALID_REQUEST', 'Only /sessions/{id}/ws is a WebSocket.');
      route.upgrade(id, request, socket, head);
    } catch (error) {
      refuseUpgrade(socket, this.failureOf(error));
    }
  }

  /** @throws ApiFailure if the request is not allowed or has no route */
  private find(request: IncomingMessage) {
    this.guard.check(request);
    const { method = '', url = '' } = request;
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    return { ...this.routes.find(method, path), query: new URLSearchParams(url.slice(path.length)) };
  }

  private async bind(): Promise<number> {
    const { host, ports } = this.options;
    for (const port of ports) {
      this.http.listen({ host, port, exclusive: true });
      try {
        await once(this.http, 'listening');
      } catch (error) {
        if (errorCode(error) === 'EADDRINUSE' || errorCode(error) === 'EACCES') continue;
        throw error;
      }
      const address = this.http.address();
      if (address !== null && typeof address === 'object') return address.port;
    }
    throw new Error(`Port ${ports.join(', ')} on ${host} is already in use. Choose another one.`);
  }

  private failureOf(error: unknown): ApiFailure {
    const failure = toApiFailure(error);
    if (failure.httpStatus >= 500)
      this.options.log.error(`A request was answered ${failure.httpStatus}`, failure.cause ?? failure);
    return failure;
  }
}

/** Responds to a request that Node.js could not parse. */
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

function ok(body: object): ApiAnswer {
  return { status: 200, body };
}
