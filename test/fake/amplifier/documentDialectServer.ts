import { once } from 'node:events';
import * as http from 'node:http';
import { CreateSessionRequest, PromptRequest } from '../../../src/amplifier/common/api/apiSchema';
import { WebSocketServer, type WebSocket } from 'ws';

export interface DocumentDialectOptions {
  /** Called for every prompt; emits what the agent says. */
  readonly script: (server: DocumentDialectServer, prompt: string) => void;
  /** How the stream is offered; default SSE. */
  readonly stream?: 'sse' | 'webSocket';
  readonly hasCancelRoute?: boolean;
  /** Default: those of the document's example. */
  readonly profiles?: readonly string[];
}

/** A small server that speaks as the API reference reads: one session, every subscriber gets everything, ids and replay. */
export class DocumentDialectServer {
  readonly id = '550e8400-e29b-41d4-a716-446655440000';
  readonly requests: { readonly method: string; readonly path: string; readonly body: string }[] = [];
  readonly controls: string[] = [];
  readonly lastEventIds: (string | undefined)[] = [];
  /** Of the WebSockets' addresses. */
  readonly queries: string[] = [];
  status: 'idle' | 'processing' | 'awaiting_approval' = 'idle';
  pendingApproval: Record<string, unknown> | null = null;
  isDeleted = false;
  /** Answers instead of the server when it returns true. */
  intercept: (request: http.IncomingMessage, response: http.ServerResponse) => boolean = () => false;

  private readonly server: http.Server;
  private readonly webSockets = new WebSocketServer({ noServer: true });
  private readonly streams = new Set<http.ServerResponse>();
  private readonly sockets = new Set<WebSocket>();
  private readonly sent: string[] = [];
  private requestCount = 0;
  private port = 0;

  constructor(private readonly options: DocumentDialectOptions) {
    this.server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.answer(request, response, Buffer.concat(chunks).toString('utf8')));
    });
    // A request on a socket that it closes just then would be lost.
    this.server.keepAliveTimeout = 0;
    this.server.on('upgrade', (request: http.IncomingMessage, socket, head) => {
      if (options.stream !== 'webSocket') {
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      if (this.isDeleted) {
        const body = JSON.stringify({ error: this.errorOf('SESSION_NOT_FOUND') });
        socket.end(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        return;
      }
      this.webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.sockets.add(webSocket);
        const last = request.headers['last-event-id'];
        this.lastEventIds.push(typeof last === 'string' ? last : undefined);
        this.queries.push(new URL(request.url ?? '/', this.url).search);
        for (let id = Number(last ?? this.sent.length) + 1; id <= this.sent.length; id++)
          webSocket.send(this.numbered(id));
        webSocket.on('close', () => this.sockets.delete(webSocket));
        webSocket.on('message', (data: Buffer) => this.controls.push(data.toString('utf8')));
      });
    });
  }

  get url(): URL {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The server does not listen');
    return new URL(`http://127.0.0.1:${address.port}`);
  }

  async start(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = Number(this.url.port);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.terminate();
    this.server.closeAllConnections();
    await closed;
  }

  emit(event: string, data: Record<string, unknown>): void {
    const text = JSON.stringify({ event, data: { session_id: this.id, ...data } });
    this.sent.push(text);
    for (const stream of this.streams) stream.write(`id: ${this.sent.length}\ndata: ${text}\n\n`);
    for (const socket of this.sockets) socket.send(this.numbered(this.sent.length));
  }

  complete(response: string, usage = { input_tokens: 1500, output_tokens: 350 }): void {
    this.status = 'idle';
    this.emit('prompt:complete', { request_id: `req-${this.requestCount}`, response, token_usage: usage });
  }

  dropStreams(): void {
    for (const stream of this.streams) stream.socket?.destroy();
    for (const socket of this.sockets) socket.terminate();
  }

  private answer(request: http.IncomingMessage, response: http.ServerResponse, body: string): void {
    const { method = 'GET', headers } = request;
    const { pathname: path } = new URL(request.url ?? '/', this.url);
    this.requests.push({ method, path, body });
    if (this.intercept(request, response)) return;
    const session = `/sessions/${this.id}`;
    if (path.startsWith(session) && this.isDeleted) {
      this.fail(response, 404, 'SESSION_NOT_FOUND');
      return;
    }
    switch (`${method} ${path.replace(session, '/sessions/{id}')}`) {
      case 'GET /health': {
        send(response, 200, { status: 'healthy', version: '0.1.0', uptime_seconds: 3600, active_sessions: 2 });
        return;
      }
      case 'GET /info': {
        send(response, 200, { version: '0.1.0', amplifier_core_version: '0.5.0', capabilities: {}, config: {} });
        return;
      }
      case 'POST /sessions': {
        this.create(response, body);
        return;
      }
      case 'GET /profiles': {
        const profiles = this.profiles.map((name) => ({ name, collection: null, description: `The ${name} one` }));
        send(response, 200, { profiles });
        return;
      }
      case 'GET /sessions/{id}': {
        send(response, 200, {
          ...this.summary(),
          last_activity: new Date().toISOString(),
          message_count: this.requestCount,
          token_usage: { input_tokens: 15000, output_tokens: 3500 },
          pending_approval: this.pendingApproval,
        });
        return;
      }
      case 'GET /sessions/{id}/events': {
        this.subscribe(response, headers['last-event-id']);
        return;
      }
      case 'POST /sessions/{id}/prompt': {
        this.prompt(response, body);
        return;
      }
      case 'POST /sessions/{id}/cancel':
        if (this.options.hasCancelRoute !== true) {
          this.fail(response, 404, undefined);
          return;
        }
        {
          send(response, 200, { status: 'cancelled', message: 'Turn cancelled' });
          return;
        }
      case 'POST /sessions/{id}/approval': {
        send(response, 200, { status: 'approved', message: 'Approval decision recorded' });
        return;
      }
      case 'DELETE /sessions/{id}':
        this.isDeleted = true;
        {
          send(response, 200, { status: 'stopped', message: 'Session stopped and cleaned up' });
          return;
        }
      default: {
        const profile = this.profiles.find((name) => path === `/profiles/${name}`);
        if (profile === undefined) this.fail(response, 404, undefined);
        else send(response, 200, profileDetails(profile));
        return;
      }
    }
  }

  private get profiles(): readonly string[] {
    return this.options.profiles ?? ['foundation', 'dev', 'design-intelligence:architect'];
  }

  /** As the document says, a profile that there is not is a bad request. */
  private create(response: http.ServerResponse, body: string): void {
    const { profile } = CreateSessionRequest.parse(JSON.parse(body));
    if (this.profiles.includes(profile)) {
      send(response, 201, { ...this.summary(), profile, status: 'created' });
      return;
    }
    const details = { profile };
    send(response, 400, { error: { code: 'INVALID_REQUEST', message: `Invalid profile name '${profile}'`, details } });
  }

  private prompt(response: http.ServerResponse, body: string): void {
    const { prompt } = PromptRequest.parse(JSON.parse(body));
    if (this.status !== 'idle') {
      this.fail(response, 409, 'SESSION_BUSY');
      return;
    }
    this.status = 'processing';
    const request_id = `req-${++this.requestCount}`;
    send(response, 202, { request_id, status: 'processing', message: 'Prompt submitted' });
    this.emit('prompt:submit', { request_id, prompt });
    this.options.script(this, prompt);
  }

  private subscribe(response: http.ServerResponse, lastEventId: string | string[] | undefined): void {
    if (this.options.stream === 'webSocket') {
      this.fail(response, 406, undefined);
      return;
    }
    const last = typeof lastEventId === 'string' ? lastEventId : undefined;
    this.lastEventIds.push(last);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    for (let id = Number(last ?? this.sent.length) + 1; id <= this.sent.length; id++) {
      response.write(`id: ${id}\ndata: ${this.sent[id - 1] ?? ''}\n\n`);
    }
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
  }

  /** A message of the WebSocket, with its id as one more member. */
  private numbered(id: number): string {
    return `${(this.sent[id - 1] ?? '').slice(0, -1)},"id":${id}}`;
  }

  private summary() {
    return { session_id: this.id, status: this.status, profile: 'dev', created_at: '2025-12-09T10:30:00Z' };
  }

  private fail(response: http.ServerResponse, status: number, code: string | undefined): void {
    send(response, status, code === undefined ? { detail: 'Not Found' } : { error: this.errorOf(code) });
  }

  private errorOf(code: string) {
    return { code, message: `Session with ID '${this.id}': ${code}`, details: { session_id: this.id } };
  }
}

/** As in the document's example. */
function profileDetails(name: string) {
  const providers = [{ module: 'provider-anthropic', config: { default_model: 'claude-sonnet-4-5' } }];
  return {
    name,
    collection: null,
    description: '',
    extends: 'foundation',
    providers,
    tools: [],
    hooks: [],
    agents: [],
  };
}

function send(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
