import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { ToolCaller } from '../../session/common/toolCaller';
import { localRequestProblem, type Refusal } from '../../wire/node/localRequest';
import { readBody } from '../../wire/node/readBody';
import { keptSocketMs } from '../../wire/node/idleSockets';
import { FairCallQueue } from '../common/calls/fairCallQueue';
import { OpenCalls } from '../common/calls/openCalls';
import type { ToolProvider } from '../common/toolProvider';
import { ClientConnections, type CreateCaller } from './clientConnections';
import { ClientTokens } from './clientTokens';
import { answerMcpBody } from './mcpMessages';
import { protocolVersions } from './protocolVersions';

/** The address and headers with which one client connects to an MCP server over HTTP. */
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
/**
 * Delay before a late response is started, and the interval of spaces in it. They prevent a time-out of the connection
 * while the user is asked.
 */
const keepAliveMs = 20_000;
/** In UTF-16 units. */
const maxNameLength = 200;
const jsonHeaders = { 'Content-Type': 'application/json' };

/** Offers tools over MCP's streamable HTTP on 127.0.0.1 to clients with a token. Stateless: one answer per POST. */
export class McpServer {
  private readonly tokens = new ClientTokens();
  private readonly stopController = new AbortController();
  private readonly callQueue: FairCallQueue;
  private readonly openCalls = new OpenCalls();
  private readonly requestCountByClient = new Map<string, number>();
  private readonly connections = new ClientConnections();
  private server: Server | undefined;

  constructor(private readonly deps: McpServerDeps) {
    this.callQueue = new FairCallQueue(deps.clock);
  }

  get openRequestCount(): number {
    return [...this.requestCountByClient.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the server listens. Call once. @throws Error if no port is available */
  async start(): Promise<void> {
    const server = createServer(
      { requestTimeout: 10_000, keepAliveTimeout: keptSocketMs },
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

  /** Returns an address with a new token, for a session until it ends. @throws Error if the server does not listen */
  createSessionAddress(caller: ToolCaller): McpAddress {
    const address = this.createAddress(() => caller);
    const client = this.clientOf(address);
    const forget = (): void => this.connections.forget(client);
    if (caller.endSignal.aborted) forget();
    else caller.endSignal.addEventListener('abort', forget, { once: true });
    return address;
  }

  /** Returns an address with a new token. Without a caller, tools can only read. @throws Error if the server does not listen */
  createAddress(createCaller?: CreateCaller): McpAddress {
    const { port } = z.object({ port: z.number() }).parse(this.server?.address());
    const authorization = `Bearer ${this.tokens.issueToken()}`;
    const address = {
      name: this.deps.name,
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: authorization },
    };
    if (createCaller) this.connections.setCaller(this.clientOf(address), createCaller);
    return address;
  }

  /** Refuses further requests with the token of this address. */
  revokeAddress(address: McpAddress): void {
    this.connections.forget(this.clientOf(address));
    this.tokens.revoke(address.headers['Authorization'] ?? '');
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
    const keepAlive = this.keepAlive(response);
    response.once('close', () => {
      keepAlive.dispose();
      this.decrementRequests(client);
      closed.abort();
    });
    try {
      const body = (await readBody(request, maxBodyBytes)).toString('utf8');
      const connection = connectionOf(client, request);
      const answer = await this.connections.use(client, connection, ({ caller, setName }) =>
        answerMcpBody(body, {
          ...this.deps,
          tools: this.deps.providers.flatMap(({ tools }) => tools),
          client,
          connection,
          protocolVersion: versionOf(request),
          caller,
          onClientNamed: (name) => setName(name.slice(0, maxNameLength)),
          callQueue: this.callQueue,
          openCalls: this.openCalls,
          signal: AbortSignal.any([this.stopController.signal, closed.signal]),
        }),
      );
      keepAlive.dispose();
      if (answer === undefined && !response.headersSent) response.writeHead(202).end();
      else if (answer === undefined) response.end();
      else sendJson(response, 200, answer);
    } catch (error) {
      this.deps.log.debug(`an MCP request failed: ${messageOf(error)}`);
      response.destroy();
    }
  }

  /** Sends spaces before a late answer. JSON allows them. */
  private keepAlive(response: ServerResponse): Disposable {
    const { clock } = this.deps;
    const schedule = (): Disposable =>
      clock.setTimer(keepAliveMs, () => {
        if (!response.headersSent) response.writeHead(200, jsonHeaders);
        response.write(' ');
        timer = schedule();
      });
    let timer = schedule();
    return toDisposable(() => timer.dispose());
  }

  /** Returns an empty string for an unknown token. */
  private clientOf({ headers }: McpAddress): string {
    return this.tokens.clientOf(headers['Authorization']) ?? '';
  }

  private decrementRequests(client: string): void {
    const remaining = (this.requestCountByClient.get(client) ?? 1) - 1;
    if (remaining > 0) this.requestCountByClient.set(client, remaining);
    else this.requestCountByClient.delete(client);
  }
}

function refusalOf(request: IncomingMessage, client: string | undefined): Refusal | undefined {
  const problem = localRequestProblem(request);
  if (problem) return problem;
  const { headers, method, url = '' } = request;
  if (client === undefined) return { status: 401, message: 'Send the token of this server.' };
  if (url !== '/mcp') return { status: 404, message: 'The server is at /mcp.' };
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !protocolVersions.some((each) => each === version))
    return { status: 400, message: `Use one of these protocol versions: ${protocolVersions.join(', ')}.` };
  if (method !== 'POST') return { status: 405, message: 'There is only POST: this server sends nothing by itself.' };
  return undefined;
}

function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers['mcp-protocol-version'];
  return typeof version === 'string' ? version : undefined;
}

/** Bridges share a token, so request ids are only unique together with the session id that each of them sends. */
function connectionOf(client: string, { headers }: IncomingMessage): string {
  const session = headers['mcp-session-id'];
  return typeof session === 'string' ? `${client} ${session.slice(0, 100)}` : client;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (!response.headersSent) response.writeHead(status, jsonHeaders);
  response.end(JSON.stringify(body));
}
