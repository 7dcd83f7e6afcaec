import type { McpServer } from '@agentclientprotocol/sdk';
import { withDeadline } from '../../../base/common/async';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import type { ToolCaller } from '../../../session/common/toolCaller';
import { agentTraitsFrom, type AgentTraits } from '../../common/catalogue/knownAgents';
import { AgentConnection, type AcpLimits, type AgentConnectionDeps, type ConnectedAgent } from '../v1/agentConnection';
import { AgentSignIn, type SignInCommand } from '../v1/agentSignIn';
import type { SessionParams } from './protocolSurface';
import { isAuthRequired } from './agentErrors';

export interface McpServersRequest {
  readonly capabilities: { readonly http: boolean; readonly sse: boolean };
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** Who calls the tools of the window in this session. */
  readonly toolCaller: ToolCaller;
}

export interface AgentGatewayDeps extends Omit<AgentConnectionDeps, 'limits'> {
  readonly missingFile: 'empty' | 'error';
  /** Id of the known agent that the command line starts. */
  readonly knownAs?: string;
  /** Resolves with the MCP servers for a session, limited to the transports that the agent supports. */
  readonly mcpServers: (session: McpServersRequest) => Promise<readonly McpServer[]>;
  readonly runInTerminal?: (command: SignInCommand) => Promise<boolean>;
  readonly limits?: Partial<AcpLimits>;
}

const defaultLimits: AcpLimits = {
  coldStartTimeoutMs: 5 * 60_000,
  initializeTimeoutMs: 30_000,
  requestTimeoutMs: 2 * 60_000,
  authenticateTimeoutMs: 2 * 60_000,
  signInTimeoutMs: 10 * 60_000,
  cancelGraceMs: 10_000,
  interruptGraceMs: 1_000,
  exitGraceMs: 1_000,
};

/** Connects a backend and its sessions to one agent: starts it on demand and limits the time of every request. */
export class AgentGateway {
  readonly limits: AcpLimits;
  readonly connection: AgentConnection;
  readonly signIn: AgentSignIn;

  constructor(private readonly options: AgentGatewayDeps) {
    const limits = (this.limits = { ...defaultLimits, ...options.limits });
    this.connection = new AgentConnection({ ...options, limits });
    this.signIn = new AgentSignIn({ ...options, connection: this.connection, limits });
  }

  get title(): string {
    return this.options.title;
  }

  get traits(): AgentTraits {
    const { knownAs, missingFile } = this.options;
    return agentTraitsFrom(this.connection.connectedAgent?.agent.agentInfo?.name, missingFile, knownAs);
  }

  /** Sends a request with the default time-out. @throws BackendError */
  async request<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.requestWithTimeout(what, signal, request);
    } catch (error) {
      throw isAuthRequired(error) ? this.signIn.requireSignIn(error) : await this.connection.toBackendError(error);
    }
  }

  /** Like `request`, but throws the original error. @throws TimeoutError, and what `send` throws */
  requestWithTimeout<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
    timeoutMs = this.limits.requestTimeoutMs,
  ): Promise<T> {
    return withDeadline(this.options.clock, what, timeoutMs, (deadline) =>
      request(signal ? AbortSignal.any([signal, deadline]) : deadline),
    );
  }

  async sessionParamsFor(
    { client }: ConnectedAgent,
    options: CreateSessionOptions,
    toolCaller: ToolCaller,
  ): Promise<SessionParams> {
    const { additionalDirectories: takesFolders, mcp } = client.abilities;
    const { cwd, additionalDirectories = [] } = options;
    const capabilities = { http: mcp.http, sse: mcp.sse };
    const mcpServers = [...(await this.options.mcpServers({ capabilities, cwd, toolCaller }))];
    const sendsFolders = takesFolders && additionalDirectories.length > 0;
    return { cwd, mcpServers, ...(sendsFolders ? { additionalDirectories: [...additionalDirectories] } : {}) };
  }

  /** Stops the agent and rejects pending requests with `reason`. The next request restarts it. Never rejects. */
  stop(reason: string): Promise<void> {
    return this.connection.stop(new BackendError('closed', reason));
  }

  dispose(): void {
    this.connection.dispose();
    this.signIn.dispose();
  }
}
