import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import assert from 'node:assert/strict';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { RemoteLimits } from '../../../../../src/acp/node/remote/remoteLimits';
import type { AcpBackend, AcpBackendDeps } from '../../../../../src/acp/node/session/acpBackend';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { remoteBackendOf, remoteToken } from '../../../../fake/acp/remoteAgents';

type Message = Record<string, unknown>;

/** What a lying server does. */
interface Behavior {
  /** Answers an HTTP request; the body was read. */
  readonly http?: (call: HttpCall) => void;
  /** Answers the request for a WebSocket by itself. */
  readonly upgrade?: (socket: Duplex) => void;
  readonly socket?: (socket: WebSocket, request: http.IncomingMessage) => void;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface HttpCall {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly message: Message;
}

/** A server that does what a test wants, with real sockets. Stop it. */
export class LyingServer {
  readonly requests: http.IncomingMessage[] = [];
  private readonly server: http.Server;
  private readonly sockets = new WebSocketServer({ noServer: true });

  constructor(private readonly behavior: Behavior) {
    const handle = (request: http.IncomingMessage, response: http.ServerResponse): void => {
      void this.answer(request, response);
    };
    this.server = behavior.tls ? https.createServer({ ...behavior.tls }, handle) : http.createServer(handle);
    // It keeps idle sockets.
    this.server.keepAliveTimeout = 0;
    this.server.on('upgrade', (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
      this.requests.push(request);
      if (behavior.upgrade) {
        behavior.upgrade(socket);
        return;
      }
      this.sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', () => undefined);
        behavior.socket?.(webSocket, request);
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(scheme: 'http' | 'ws' | 'https' | 'wss', host = '127.0.0.1'): string {
    return `${scheme}://${host}:${this.port}/acp`;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async socketCount(): Promise<number> {
    return await promisify(this.server.getConnections.bind(this.server))();
  }

  cut(): void {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.requests.push(request);
    response.on('error', () => undefined);
    let body = '';
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return;
    }
    const message = body === '' ? {} : (JSON.parse(body) as Message);
    this.behavior.http?.({ request, response, message });
  }
}

export const initialized = (id: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  result: {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } },
  },
});

/** An HTTP server of the transport that a test can make say anything, in either stream. */
export class HttpAgent {
  /** Streams by session; that of the connection is ''. */
  readonly streams = new Map<string, http.ServerResponse>();
  readonly received: Message[] = [];
  /** Returns whether the call was answered. */
  intercept: (call: HttpCall) => boolean = () => false;
  /** Called with each message after it was accepted. */
  onMessage: (message: Message) => void = () => undefined;

  readonly behavior: Behavior = {
    http: (call) => {
      const { message, request, response } = call;
      if (this.intercept(call)) return;
      if (request.method === 'GET') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
        this.streams.set(String(request.headers['acp-session-id'] ?? ''), response);
        return;
      }
      if (message['method'] === 'initialize') {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Acp-Connection-Id': 'c1' });
        response.end(JSON.stringify(initialized(message['id'])));
        return;
      }
      response.writeHead(202).end();
      if (request.method !== 'POST') return;
      this.received.push(message);
      this.onMessage(message);
    },
  };

  say(message: Message, sessionId = ''): void {
    this.streams.get(sessionId)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }
}

export function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}

const quick: Partial<RemoteLimits> = { connectTimeoutMs: 400, answerTimeoutMs: 400, silenceMs: 300, pingMs: 100 };
export const headers = { Authorization: `Bearer ${remoteToken}` };

/** Inside `describe`: servers and backends, which end after each test. */
export function useRemote() {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function lying(behavior: Behavior): Promise<LyingServer> {
    const server = await new LyingServer(behavior).start();
    cleanups.push(() => server.stop());
    return server;
  }

  function backendAt(
    url: string,
    limits: Partial<RemoteLimits> = quick,
    options: Partial<AcpBackendDeps> = {},
  ): AcpBackend {
    const { backend } = remoteBackendOf(() => ({ url, headers }), options, { limits });
    cleanups.push(async () => {
      await backend.stop();
      backend.dispose();
    });
    return backend;
  }

  async function failureAt(url: string): Promise<string> {
    const error: unknown = await backendAt(url)
      .capabilities()
      .then(
        () => assert.fail('it works'),
        (reason: unknown) => reason,
      );
    assert.ok(isBackendError(error), String(error));
    return error.message;
  }

  return { cleanups, lying, backendAt, failureAt };
}
