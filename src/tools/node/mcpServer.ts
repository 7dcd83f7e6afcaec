import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { FairCallQueue } from '../common/calls/fairCallQueue';
import { OpenCalls } from '../common/calls/openCalls';
import type { ToolProvider } from '../common/toolProvider';
import { ClientTokens } from './clientTokens';
import { answerMcpBody } from './mcpMessages';

/** How one client reaches an MCP server over HTTP. */
export interface McpAddress {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface McpServerDeps {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly providers: readonly ToolProvider[];
  readonly clock: Clock;
  readonly log: Logger;
}

const idleTimeoutMs = 60_000;
const maxBodyBytes = 1_024 * 1_024;
/** Limit of open requests per client; each may hold a body in memory. */
const maxRequestsPerClient = 128;
const loopbackHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/i;

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Offers tools over MCP's streamable HTTP on 127.0.0.1 to clients with a token. Stateless: one answer per POST. */
export class McpServer {
  private readonly tokens = new ClientTokens();
  private readonly stopController = new AbortController();
  private readonly callQueue: FairCallQueue;
  private readonly openCalls = new OpenCalls();
  private readonly requestCountByClient = new Map<string, number>();
  private server: Server | undefined;

  constructor(private readonly options: McpServerDeps) {
    this.callQueue = new FairCallQueue(options.clock);
  }

  get openRequestCount(): number {
    return [...this.requestCountByClient.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the server listens. Call once. @throws Error if no port is available */
  async start(): Promise<void> {
    const server = createServer(
      { requestTimeout: 10_000 },
      (request, response) => void this.handleRequest(request, response),
    );
    // Ends connections of clients that read nothing.
    server.timeout = idleTimeoutMs;
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
  }

  /** Returns an address with a new token. @throws Error if the server does not listen */
  createAddress(): McpAddress {
    const { port } = z.object({ port: z.number() }).parse(this.server?.address());
    return {
      name: this.options.name,
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: `Bearer ${this.tokens.issueToken()}` },
    };
  }

  /** Refuses further requests with the token of this address. */
  revokeAddress({ headers }: McpAddress): void {
    this.tokens.revoke(headers['Authorization'] ?? '');
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.stopController.abort();
    this.callQueue.dispose();
    if (!server?.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  /** Handles a request and sends the response. Never rejects. */
  private async handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.tokens.clientOf(request.headers.authorization);
    const refusal = refusalOf(request, client);
    if (client === undefined || refusal) {
      sendJson(response, refusal?.status ?? 401, { error: refusal?.message });
      return;
    }
    const count = this.requestCountByClient.get(client) ?? 0;
    if (count >= maxRequestsPerClient) {
      response.setHeader('Retry-After', '1');
      sendJson(response, 429, { error: 'Too many requests are open. Wait for their answers.' });
      return;
    }
    this.requestCountByClient.set(client, count + 1);
    const closed = new AbortController();
    response.once('close', () => {
      this.decrementRequests(client);
      closed.abort();
    });
    try {
      const body = await readBody(request);
      const answer = await answerMcpBody(body, {
        ...this.options,
        tools: this.options.providers.flatMap(({ tools }) => tools),
        client,
        connection: connectionOf(client, request),
        callQueue: this.callQueue,
        openCalls: this.openCalls,
        signal: AbortSignal.any([this.stopController.signal, closed.signal]),
      });
      if (answer === undefined) response.writeHead(202).end();
      else sendJson(response, 200, answer);
    } catch (error) {
      this.options.log.debug(`an MCP request failed: ${messageOf(error)}`);
      response.destroy();
    }
  }

  private decrementRequests(client: string): void {
    const remaining = (this.requestCountByClient.get(client) ?? 1) - 1;
    if (remaining > 0) this.requestCountByClient.set(client, remaining);
    else this.requestCountByClient.delete(client);
  }
}

function refusalOf({ method, url = '', headers }: IncomingMessage, client: string | undefined): Refusal | undefined {
  // A page that uses DNS rebinding sends its own host name.
  if (!loopbackHost.test(headers.host ?? '')) return { status: 403, message: 'Connect to 127.0.0.1.' };
  if (headers.origin !== undefined) return { status: 403, message: 'Web pages may not connect.' };
  if (client === undefined) return { status: 401, message: 'Send the token of this server.' };
  if (url !== '/mcp') return { status: 404, message: 'The server is at /mcp.' };
  if (method !== 'POST') return { status: 405, message: 'There is only POST: this server sends nothing by itself.' };
  return undefined;
}

/** Bridges share a token, so request ids are only unique together with the session id that each of them sends. */
function connectionOf(client: string, { headers }: IncomingMessage): string {
  const session = headers['mcp-session-id'];
  return typeof session === 'string' ? `${client} ${session.slice(0, 100)}` : client;
}

/** Reads the body of a request. @throws Error if it is too long */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = z.instanceof(Buffer).parse(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw new Error(`The body is larger than ${maxBodyBytes} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
