import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  client,
  ndJsonStream,
  RequestError,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type CreateTerminalRequest,
  type InitializeResponse,
  type McpServer,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

export interface DemoClientOptions {
  readonly file: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly capabilities?: ClientCapabilities;
}

const everything: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  session: { configOptions: { boolean: {} } },
};

/** A client made of the official SDK, over a real child process, with files in memory and terminals that really run. */
export class DemoClient {
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly terminals: CreateTerminalRequest[] = [];
  readonly released: string[] = [];
  readonly files = new Map<string, string>();
  /** What the user answers; `cancelled` instead of an option's id, or a wait. */
  answerPermission: () => Promise<string> = () => Promise.resolve('allow');
  stderr = '';
  initialized: InitializeResponse | undefined;

  private readonly child: ChildProcess;
  private readonly connection: ClientConnection;
  private readonly commands = new Map<string, { child: ChildProcess; output: string }>();
  private readonly watchers = new Set<() => void>();

  private constructor(private readonly options: DemoClientOptions) {
    const child = spawn(process.execPath, [options.file, ...(options.args ?? [])], { cwd: options.cwd });
    this.child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    child.stdin.on('error', () => undefined);
    this.connection = this.app().connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  }

  /** A connection that is initialized. The caller stops it. */
  static async start(options: DemoClientOptions): Promise<DemoClient> {
    const demo = new DemoClient(options);
    demo.initialized = await demo.agent.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? everything,
    });
    return demo;
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async newSession(mcpServers: McpServer[] = []): Promise<string> {
    const { sessionId } = await this.agent.request('session/new', { cwd: this.options.cwd, mcpServers });
    return sessionId;
  }

  /** Sends a prompt and waits for the end of its turn. */
  async prompt(sessionId: string, text: string, ...more: ContentBlock[]): Promise<string> {
    const prompt: ContentBlock[] = [{ type: 'text', text }, ...more];
    return (await this.agent.request('session/prompt', { sessionId, prompt })).stopReason;
  }

  /** All that the agent has said. */
  get said(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
      )
      .join('');
  }

  updatesOf<Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
  ): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
    );
  }

  /** Waits until what has come makes `condition` true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.watchers.add(resolve));
  }

  forget(): void {
    this.updates.length = 0;
    this.permissions.length = 0;
  }

  async stop(): Promise<void> {
    for (const { child } of this.commands.values()) child.kill('SIGKILL');
    this.connection.close();
    if (this.hasExited) return;
    const exited = once(this.child, 'exit');
    this.child.stdin?.end();
    await exited;
  }

  async exit(): Promise<number | null> {
    if (!this.hasExited) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  private app() {
    return client({ name: 'demo client' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
        this.wake();
      })
      .onRequest('session/request_permission', async ({ params }) => {
        this.permissions.push(params);
        this.wake();
        const optionId = await this.answerPermission();
        return { outcome: optionId === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .onRequest('fs/read_text_file', ({ params }) => {
        const content = this.files.get(params.path);
        if (content === undefined) throw RequestError.resourceNotFound(params.path);
        return { content };
      })
      .onRequest('fs/write_text_file', ({ params }) => {
        this.files.set(params.path, params.content);
        return {};
      })
      .onRequest('terminal/create', ({ params }) => {
        this.terminals.push(params);
        const command = {
          child: spawn(params.command, params.args ?? [], { cwd: params.cwd ?? undefined }),
          output: '',
        };
        command.child.on('error', (error) => (command.output += error.message));
        for (const pipe of [command.child.stdout, command.child.stderr]) {
          pipe.on('data', (chunk: Buffer) => (command.output += chunk.toString()));
        }
        const terminalId = `terminal-${this.commands.size}`;
        this.commands.set(terminalId, command);
        this.wake();
        return { terminalId };
      })
      .onRequest('terminal/output', ({ params }) => ({
        output: this.command(params.terminalId).output,
        truncated: false,
      }))
      .onRequest('terminal/wait_for_exit', async ({ params }) => {
        const { child } = this.command(params.terminalId);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
        return { exitCode: child.exitCode, signal: child.signalCode };
      })
      .onRequest('terminal/kill', ({ params }) => {
        this.command(params.terminalId).child.kill('SIGKILL');
        return {};
      })
      .onRequest('terminal/release', ({ params }) => {
        this.command(params.terminalId).child.kill('SIGKILL');
        this.released.push(params.terminalId);
        this.wake();
        return {};
      });
  }

  private command(terminalId: string): { child: ChildProcess; output: string } {
    const command = this.commands.get(terminalId);
    if (!command) throw RequestError.resourceNotFound(terminalId);
    return command;
  }

  private wake(): void {
    for (const resume of this.watchers) resume();
    this.watchers.clear();
  }
}
