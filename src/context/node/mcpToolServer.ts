import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { answerMcp, type McpTool } from './mcpMessages';

/** How an agent reaches an MCP server over HTTP. */
export interface McpAddress {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpToolServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tool: McpTool;
  readonly log: Logger;
}

const stalledMs = 60_000;
const maxBodyBytes = 1_024 * 1_024;
const loopbackHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/i;

/**
 * Offers one tool over MCP's streamable HTTP, on a port of 127.0.0.1, to whoever knows the token. It keeps no sessions:
 * every question is one POST, and its answer one JSON object.
 */
export class McpToolServer {
  private readonly token = randomBytes(24).toString('base64url');
  private readonly digest = digestOf(`Bearer ${this.token}`);
  private readonly ending = new AbortController();
  private server: Server | undefined;
  private open = 0;

  constructor(private readonly options: McpToolServerOptions) {}

  /** Requests whose answers have not been read, or given up. */
  get openRequests(): number {
    return this.open;
  }

  /** Resolves when it listens. To be called once. @throws Error when no port can be had */
  async start(): Promise<McpAddress> {
    const server = createServer({ requestTimeout: 10_000 }, (request, response) => void this.serve(request, response));
    // A client that reads nothing.
    server.timeout = stalledMs;
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
    const { port } = z.object({ port: z.number() }).parse(server.address());
    return {
      name: this.options.name,
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: `Bearer ${this.token}` },
    };
  }

  /** Calls that are being answered are cut off. */
  async stop(): Promise<void> {
    const { server } = this;
    this.ending.abort();
    if (!server?.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  /** Never rejects. */
  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    const closed = new AbortController();
    response.once('close', () => {
      this.open--;
      closed.abort();
    });
    try {
      const refusal = this.refusalOf(request);
      if (refusal) {
        send(response, refusal.status, { error: refusal.message });
        return;
      }
      const body = await bodyOf(request);
      const { name, version, tool } = this.options;
      const signal = AbortSignal.any([this.ending.signal, closed.signal]);
      const answer = await answerMcp(body, { name, version, tool, signal });
      if (answer === undefined) response.writeHead(202).end();
      else send(response, 200, answer);
    } catch (error) {
      this.options.log.debug(`an MCP request failed: ${messageOf(error)}`);
      response.destroy();
    }
  }

  private refusalOf({ method, url = '', headers }: IncomingMessage): { status: number; message: string } | undefined {
    // A page that reaches a loopback port through a name of its own (DNS rebinding) sends that name.
    if (!loopbackHost.test(headers.host ?? '')) return { status: 403, message: 'Connect to 127.0.0.1.' };
    if (headers.origin !== undefined) return { status: 403, message: 'Web pages may not connect.' };
    if (!timingSafeEqual(digestOf(headers.authorization ?? ''), this.digest))
      return { status: 401, message: 'Send the token of this server.' };
    if (url !== '/mcp') return { status: 404, message: 'The server is at /mcp.' };
    if (method !== 'POST') return { status: 405, message: 'There is only POST: this server sends nothing by itself.' };
    return undefined;
  }
}

/** @throws Error when it is too long */
async function bodyOf(request: IncomingMessage): Promise<string> {
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

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
