import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build, type BuildOptions } from 'esbuild';
import * as z from 'zod';
import { cacheRoot, inRoot, root } from '../../../scripts/lib/paths.mjs';
import { run } from '../../../scripts/lib/processes.mjs';

export const sdkVersion = '1.32.2';

/** A server with one tool that repeats its input, as a bundle that a process of its own runs. */
export interface McpSubject {
  readonly bundle: string;
  /** Minified, without zod, which the extension has anyway. */
  readonly bytes: number;
}

const Listening = z.object({ url: z.string(), authorization: z.string(), startedMs: z.number() });

const ours = `
import { McpServer } from './src/tools/node/mcpServer';
import { systemClock } from './src/base/node/systemClock';
import { nullLogger } from './src/base/common/log';
const definition = { name: 'repeat', description: 'Repeats.', inputSchema: { type: 'object' }, annotations: {} };
const tools = [{ definition, run: async (input) => JSON.stringify(input) }];
const server = new McpServer({ name: 'bench', version: '1', clock: systemClock, log: nullLogger, providers: [{ tools }] });
server.start().then(() => {
  const { headers, url } = server.createAddress();
  console.log(JSON.stringify({ url, authorization: headers.Authorization, startedMs: performance.now() }));
});
`;

/** With sessions, the SDK's server and transport are kept; without, both are created for each request, as its examples do. */
const ofSdk = (hasSessions: boolean): string => `
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
async function open() {
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
  const tools = [{ name: 'repeat', description: 'Repeats.', inputSchema: { type: 'object' } }];
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
  }));
  const sessionIdGenerator = ${hasSessions ? 'randomUUID' : 'undefined'};
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator, enableJsonResponse: true });
  await server.connect(transport);
  return { server, transport };
}
let kept;
const http = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { server, transport } = ${hasSessions ? '(kept ??= await open())' : 'await open()'};
  await transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString('utf8')));
  ${hasSessions ? '' : "response.on('close', () => { transport.close(); server.close(); });"}
});
http.listen(0, '127.0.0.1', () => {
  const url = 'http://127.0.0.1:' + http.address().port + '/mcp';
  console.log(JSON.stringify({ url, authorization: '', startedMs: performance.now() }));
});
`;

export async function buildOurs(): Promise<McpSubject> {
  return await bundleOf('ours', { contents: ours, resolveDir: root, loader: 'ts' });
}

/** Undefined if the SDK cannot be installed. */
export async function buildSdk(hasSessions: boolean): Promise<McpSubject | undefined> {
  const folder = path.join(cacheRoot, `mcp-sdk-${sdkVersion}`);
  const isThere = (): Promise<boolean> =>
    access(path.join(folder, 'node_modules', '@modelcontextprotocol', 'sdk')).then(
      () => true,
      () => false,
    );
  if (!(await isThere())) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
    const args = ['install', '--no-audit', '--no-fund', `@modelcontextprotocol/sdk@${sdkVersion}`];
    await run('npm', args, { cwd: folder });
    if (!(await isThere())) return undefined;
  }
  return await bundleOf(hasSessions ? 'sdkSessions' : 'sdk', { contents: ofSdk(hasSessions), resolveDir: folder });
}

async function bundleOf(name: string, stdin: NonNullable<BuildOptions['stdin']>): Promise<McpSubject> {
  const bundle = inRoot('out', 'bench', 'mcp', `${name}.cjs`);
  const options: BuildOptions = {
    stdin,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
  };
  await build({ ...options, outfile: bundle });
  const { outputFiles } = await build({ ...options, external: ['zod', 'zod/*'], write: false });
  await stat(bundle);
  return { bundle, bytes: outputFiles.reduce((sum, { contents }) => sum + contents.length, 0) };
}

/** A server in a process of its own. Stop it. */
export class RunningMcpServer {
  private sessionId: string | undefined;
  private id = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly address: z.infer<typeof Listening>,
  ) {}

  static async start({ bundle }: McpSubject): Promise<RunningMcpServer> {
    const child = spawn(process.execPath, [bundle], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout }))
      return new RunningMcpServer(child, Listening.parse(JSON.parse(line)));
    throw new Error(`${bundle} did not start.`);
  }

  /** From the start of its process until it listened. */
  get startedMs(): number {
    return this.address.startedMs;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const response = await this.post({ id: ++this.id, method: 'initialize', params });
    await response.text();
    this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
    await (await this.post({ method: 'notifications/initialized' })).text();
  }

  /** Calls the tool. Returns the milliseconds until the whole answer was there. @throws Error if it is wrong */
  async callMs(): Promise<number> {
    const startedAtMs = performance.now();
    const params = { name: 'repeat', arguments: { path: 'src/a.ts', line: 7 } };
    const response = await this.post({ id: ++this.id, method: 'tools/call', params });
    const text = await response.text();
    const ms = performance.now() - startedAtMs;
    if (!text.includes('src/a.ts')) throw new Error(`The call was answered: ${text}`);
    return ms;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async post(message: object): Promise<Response> {
    return await fetch(this.address.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: this.address.authorization,
        ...(this.sessionId === undefined
          ? {}
          : { 'mcp-session-id': this.sessionId, 'mcp-protocol-version': '2025-06-18' }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
}
