import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { naiveNow, RealSession, type TurnScript } from './realDialectSession';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface RealDialectOptions {
  readonly script: TurnScript;
  /** Between two named pings of an idle stream; there it is 5 s. */
  readonly pingMs?: number;
}

const Prompt = z.object({ prompt: z.string(), context_update: z.record(z.string(), z.unknown()).nullish() });
const Decision = z.object({ decision: z.string() });
const Create = z.object({ profile: z.string() });

/**
 * An Amplifier server that behaves as the one that exists, its faults included: named pings that are no JSON, CRLF, answers
 * in `detail`, 200 for 202, one queue of events shared by all subscribers, approvals that let everything but "Deny" run, no list
 * of profiles, a context in `POST /sessions` that no model ever sees, and answers told again with other white space.
 * Stopping it forgets all sessions; starting it again takes the same port.
 */
export class RealDialectServer {
  readonly requests: RecordedRequest[] = [];
  readonly sessions = new Map<string, RealSession>();
  /** Answers a request in the server's place when it returns true. */
  intercept: (request: http.IncomingMessage, response: http.ServerResponse) => boolean = () => false;
  script: TurnScript;
  /** Prompts are taken once this has resolved. */
  held: Promise<void> = Promise.resolve();

  private server: http.Server | undefined;
  private port = 0;
  private readonly pingMs: number;

  constructor(options: RealDialectOptions) {
    this.script = options.script;
    this.pingMs = options.pingMs ?? 5000;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.port}`);
  }

  async start(): Promise<void> {
    this.server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.answer(request, response, Buffer.concat(chunks).toString('utf8')));
    });
    // A request on a socket that it closes just then would be lost.
    this.server.keepAliveTimeout = 0;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address !== null && typeof address === 'object') this.port = (address satisfies AddressInfo).port;
  }

  /** As a crash: every socket is cut, every session is forgotten. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    for (const session of this.sessions.values()) session.forget();
    this.sessions.clear();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** The only session there is. */
  get session(): RealSession {
    const [session] = this.sessions.values();
    if (!session) throw new Error('The server has no session');
    return session;
  }

  private answer(request: http.IncomingMessage, response: http.ServerResponse, body: string): void {
    const { method = 'GET', headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    this.requests.push({ method, path: pathname, headers, body });
    if (this.intercept(request, response)) return;
    const [, room, id, action] = pathname.split('/').map(decodeURIComponent);
    if (room === 'health') {
      sendJson(response, 200, { status: 'healthy', version: '0.1.0' });
      return;
    }
    if (room === 'info') {
      sendJson(response, 200, info);
      return;
    }
    if (room === 'profiles') {
      sendDetail(response, 500, 'PROFILE_LIST_FAILED', "'str' object has no attribute 'get'");
      return;
    }
    if (room !== 'sessions') {
      sendJson(response, 404, { detail: 'Not Found' });
      return;
    }
    if (id === undefined) {
      if (method === 'POST') {
        this.create(response, body);
        return;
      }
      if (method === 'GET') {
        this.list(response, searchParams);
        return;
      }
      sendJson(response, 405, { detail: 'Method Not Allowed' });
      return;
    }
    const session = this.sessions.get(id);
    const route = `${method} ${action ?? ''}`.trim();
    if (!knownRoutes.has(route)) {
      sendJson(response, 404, { detail: 'Not Found' });
      return;
    }
    if (!session) {
      sendDetail(response, 404, 'SESSION_NOT_FOUND', `Session with ID '${id}' not found`);
      return;
    }
    switch (route) {
      case 'GET': {
        sendJson(response, 200, session.toStatus());
        return;
      }
      case 'GET events': {
        session.subscribe(response);
        return;
      }
      case 'POST prompt': {
        void this.held.then(() => this.prompt(session, response, body));
        return;
      }
      case 'POST approval': {
        approve(session, response, body);
        return;
      }
      default:
        this.sessions.delete(id);
        session.end();
        {
          sendJson(response, 200, { status: 'stopped', message: 'Session stopped and cleaned up' });
          return;
        }
    }
  }

  private create(response: http.ServerResponse, body: string): void {
    const request = Create.safeParse(tryJson(body));
    if (!request.success) {
      sendJson(response, 422, fieldErrors('profile', body));
      return;
    }
    const { profile } = request.data;
    if (!profiles.has(profile)) {
      sendDetail(response, 500, 'SESSION_CREATE_FAILED', `Failed to create session: Profile '${profile}' not found`);
      return;
    }
    const session = new RealSession(randomUUID(), profile, this.pingMs);
    this.sessions.set(session.id, session);
    sendJson(response, 201, { session_id: session.id, status: 'created', profile, created_at: naiveNow() });
  }

  private list(response: http.ServerResponse, query: URLSearchParams): void {
    const status = query.get('status');
    const all = [...this.sessions.values()].map((session) => session.toStatus());
    const sessions = all.filter((item) => status === null || item.status === status);
    sendJson(response, 200, { sessions: sessions.slice(0, Number(query.get('limit') ?? 50)), total: all.length });
  }

  private prompt(session: RealSession, response: http.ServerResponse, body: string): void {
    const request = Prompt.safeParse(tryJson(body));
    if (!request.success) {
      sendJson(response, 422, fieldErrors('prompt', body));
      return;
    }
    if (session.status === 'processing') {
      sendDetail(response, 409, 'SESSION_BUSY', 'Session is already processing another prompt');
      return;
    }
    sendJson(response, 200, {
      request_id: `req-${randomUUID().slice(0, 8)}`,
      status: 'processing',
      message: 'Prompt submitted, subscribe to events for response',
    });
    // In any other state the prompt is taken and nothing ever happens.
    if (session.status !== 'idle') return;
    const { prompt, context_update } = request.data;
    void session.run(this.script, prompt, context_update ?? null);
  }
}

/** As its authors ship it; there is no `dev`. */
const profiles: ReadonlySet<string> = new Set(['vscode-simple', 'vscode-dev', 'vscode-test', 'vscode-approval-test']);
const knownRoutes: ReadonlySet<string> = new Set(['GET', 'DELETE', 'GET events', 'POST prompt', 'POST approval']);
const info = {
  name: 'Amplifier VS Code Server',
  version: '0.1.0',
  api_version: 'v1',
  capabilities: { sessions: true, sse: true, profiles: true },
};

function approve(session: RealSession, response: http.ServerResponse, body: string): void {
  const request = Decision.safeParse(tryJson(body));
  if (!request.success) {
    sendJson(response, 422, fieldErrors('decision', body));
    return;
  }
  if (!session.pendingApproval) {
    sendDetail(response, 400, 'NO_PENDING_APPROVAL', 'No pending approval for this session');
    return;
  }
  session.decide(request.data.decision);
  sendJson(response, 200, { status: 'approved', message: 'Approval decision recorded' });
}

function fieldErrors(field: string, input: string) {
  return { detail: [{ type: 'missing', loc: ['body', field], msg: 'Field required', input: tryJson(input) }] };
}

function sendDetail(response: http.ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { detail: { error: { code, message, details: {} } } });
}

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
