import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import { withDeadline } from '../../../base/common/async';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import type { ToolCaller } from '../../../session/common/toolCaller';
import { restoreMethodOf } from '../../common/session/bindingState';
import { agentTraitsFrom, type AgentTraits } from '../../common/catalogue/knownAgents';
import type { AgentLimit } from '../../common/connection/agentLimitStore';
import { keyUseOfKnownAgent } from '../../common/signIn/agentKeys';
import type { SignInCommand } from '../../common/signIn/signInWays';
import { SessionToolCaller } from '../../common/sessionToolCaller';
import { AgentSignIn } from '../signIn/agentSignIn';
import { AgentConnection, type AcpLimits, type AgentConnectionDeps, type ConnectedAgent } from '../v1/agentConnection';
import type { SessionParams } from './protocolRequests';
import { isAuthRequired } from './agentErrors';
import { ProcessUsers } from './processUsers';
import { WindowToolsUse } from './windowToolsUse';

export interface McpServersRequest {
  readonly capabilities: { readonly http: boolean; readonly sse: boolean };
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** The identity under which the agent calls the window's tools in this session. */
  readonly toolCaller: ToolCaller;
  /** Set if the agent fails with the window's own server. */
  readonly omitsWindowTools?: true;
}

export interface AgentRequestRunnerDeps extends Omit<AgentConnectionDeps, 'limits'> {
  readonly missingFile: 'empty' | 'error';
  /** Id of the known agent that belongs to the command line. */
  readonly knownAs?: string;
  /** Returns the MCP servers for a session. Omits transports that the agent does not support. */
  readonly mcpServers: (session: McpServersRequest) => Promise<readonly McpServer[]>;
  readonly runInTerminal?: (command: SignInCommand, signal: AbortSignal) => Promise<boolean>;
  /** Absolute path of the folder where a sign-in is checked. */
  readonly defaultFolder: () => string;
  readonly limits?: Partial<AcpLimits>;
  readonly windowToolsMemory?: () => AgentLimit;
  /**
   * Asks the user whether a session should be loaded that the agent may lose by that. False: continue with a summary.
   * @throws BackendError `cancelled`
   */
  readonly confirmLoad?: (session: { sessionId: string; cwd: string }, signal?: AbortSignal) => Promise<boolean>;
  /** Path on the agent's machine that replaces the folders of sessions. */
  readonly sessionFolder?: string;
}

const defaultLimits: AcpLimits = {
  coldStartTimeoutMs: 5 * 60_000,
  offerTimeoutMs: 60_000,
  initializeTimeoutMs: 30_000,
  requestTimeoutMs: 2 * 60_000,
  authenticateTimeoutMs: 10 * 60_000,
  signInTimeoutMs: 10 * 60_000,
  cancelGraceMs: 10_000,
  interruptGraceMs: 1_000,
  exitGraceMs: 1_000,
};

/**
 * Connects a backend and its sessions to one agent. Starts the agent when needed, and limits the time of every request.
 */
export class AgentRequestRunner {
  readonly limits: AcpLimits;
  readonly connection: AgentConnection;
  readonly signIn: AgentSignIn;
  readonly users: ProcessUsers;
  readonly windowTools: WindowToolsUse;

  constructor(private readonly deps: AgentRequestRunnerDeps) {
    const limits = (this.limits = { ...defaultLimits, ...deps.limits });
    this.windowTools = new WindowToolsUse(deps.windowToolsMemory);
    this.users = new ProcessUsers((error) => deps.log.error('A listener of the agent’s users failed', error));
    this.connection = new AgentConnection({
      ...deps,
      limits,
      onAuthStatus: (status) => this.signIn.recordStatus(status),
    });
    this.signIn = new AgentSignIn({
      ...deps,
      connection: this.connection,
      keyUse: keyUseOfKnownAgent(deps.knownAs),
      trySession: (signal) => this.trySession(signal),
      users: this.users,
      limits,
    });
  }

  get title(): string {
    return this.deps.title;
  }

  get traits(): AgentTraits {
    const { knownAs, missingFile } = this.deps;
    return agentTraitsFrom(this.connection.connectedAgent?.agent.agentInfo?.name, missingFile, knownAs);
  }

  /** Sends a request to the agent with the default time-out. @throws BackendError */
  async request<T>(
    requestName: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.requestWithTimeout(requestName, signal, request);
    } catch (error) {
      throw await this.explainAndRecordRefusal(error, 'session');
    }
  }

  /** Like `request`, for a request that creates or loads a session: the agent is not ended meanwhile for others. */
  requestSession<T>(
    requestName: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.users.during(() => this.request(requestName, signal, request));
  }

  /** Whether the running agent can restore a session in another process. */
  get canRestore(): boolean {
    const abilities = this.connection.connectedAgent?.client.abilities;
    return abilities !== undefined && restoreMethodOf(abilities, 'known') !== undefined;
  }

  /**
   * Converts an error for the user, and records whether it means that the user has to sign in. `what` is the refused
   * request.
   */
  async explainAndRecordRefusal(error: unknown, refusedRequest: 'session' | 'prompt'): Promise<BackendError> {
    if (isAuthRequired(error)) return this.signIn.recordRefused(error, refusedRequest);
    const explained = await this.connection.toBackendError(error);
    const isUnmarkedRefusal = explained.code === 'authRequired' && explained.cause instanceof RequestError;
    return isUnmarkedRefusal ? this.signIn.recordRefused(explained.cause, refusedRequest) : explained;
  }

  /** Like `request`, but throws the original error. @throws TimeoutError, and the errors of `send` */
  requestWithTimeout<T>(
    requestName: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
    timeoutMs = this.limits.requestTimeoutMs,
  ): Promise<T> {
    return withDeadline(this.deps.clock, requestName, timeoutMs, (deadline) =>
      request(signal ? AbortSignal.any([signal, deadline]) : deadline),
    );
  }

  async sessionParamsFor(
    { agent, client }: ConnectedAgent,
    options: CreateSessionOptions,
    toolCaller: ToolCaller,
  ): Promise<SessionParams> {
    const omits = this.windowTools.isOmitted(agent.agentInfo?.version) ? { omitsWindowTools: true as const } : {};
    const { additionalDirectories: takesFolders, mcp } = client.abilities;
    const { sessionFolder } = this.deps;
    const { cwd, additionalDirectories = [] } = options;
    const capabilities = { http: mcp.http, sse: mcp.sse };
    const mcpServers = [...(await this.deps.mcpServers({ capabilities, cwd, toolCaller, ...omits }))];
    const sendsFolders = takesFolders && additionalDirectories.length > 0 && sessionFolder === undefined;
    return {
      cwd: sessionFolder ?? cwd,
      mcpServers,
      ...(sendsFolders ? { additionalDirectories: [...additionalDirectories] } : {}),
    };
  }

  /** Whether a session may be restored; the agent must be running. @throws BackendError `cancelled` */
  async mayRestore(sessionId: string, cwd: string, signal?: AbortSignal): Promise<boolean> {
    if (!this.traits.losesLoadedSessions) return true;
    return (await this.deps.confirmLoad?.({ sessionId, cwd }, signal)) ?? true;
  }

  /** Whether the sessions of the agent have the window's tools. */
  async hasWindowTools({ client }: ConnectedAgent, { cwd }: CreateSessionOptions): Promise<boolean> {
    const { http, sse } = client.abilities.mcp;
    const toolCaller = new SessionToolCaller();
    const request = { capabilities: { http, sse }, cwd, toolCaller };
    try {
      const all = await this.deps.mcpServers(request);
      return (await this.deps.mcpServers({ ...request, omitsWindowTools: true })).length < all.length;
    } finally {
      toolCaller.end();
    }
  }

  /** Stops the agent and rejects pending requests with `reason`. The next request starts it again. Never rejects. */
  async stop(reason: string): Promise<void> {
    await this.connection.stop(new BackendError('closed', reason));
    this.signIn.reset();
  }

  private async trySession(signal: AbortSignal): Promise<void> {
    const { client } = await this.connection.connect(signal);
    const params = { cwd: this.deps.defaultFolder(), mcpServers: [] };
    await this.requestWithTimeout('session/new', signal, (deadline) => client.trySession(params, deadline));
  }

  dispose(): void {
    this.signIn.dispose();
    this.users.dispose();
    this.connection.dispose();
  }
}
