import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import { withDeadline } from '../../../base/common/async';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import type { ToolCaller } from '../../../session/common/toolCaller';
import { restoreMethodOf } from '../../common/session/bindingState';
import { agentTraitsFrom, type AgentTraits } from '../../common/catalogue/knownAgents';
import type { WindowToolsMemory, WindowToolsState } from '../../common/connection/windowToolsState';
import { keyUseOfKnownAgent } from '../../common/signIn/agentKeys';
import type { SignInCommand } from '../../common/signIn/signInWays';
import { AgentSignIn } from '../signIn/agentSignIn';
import { AgentConnection, type AcpLimits, type AgentConnectionDeps, type ConnectedAgent } from './agentConnection';
import type { SessionParams } from './protocolRequests';
import { isAuthRequired } from './agentErrors';
import { ProcessUsers } from './processUsers';
import { WindowToolsUse, type WindowToolsOffer } from './windowToolsUse';

export interface McpServersRequest {
  readonly capabilities: { readonly http: boolean; readonly sse: boolean };
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** The identity under which the agent calls the window's tools in this session. */
  readonly toolCaller: ToolCaller;
  /** Whether the session goes without the window's own servers, because the agent may fail with them. */
  readonly omitsWindowTools: boolean;
  /** Called if the window's own servers are among the result. */
  readonly onWindowTools: () => void;
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
  /** Stored for all windows. By default, the memory is limited to this agent. */
  readonly windowToolsMemory?: WindowToolsMemory;
  /**
   * Asks the user whether a session should be loaded that the agent may lose by that. False: continue with a summary.
   * @throws BackendError `cancelled`
   */
  readonly confirmLoad?: (session: { sessionId: string; cwd: string }, signal?: AbortSignal) => Promise<boolean>;
  /** Path on the agent's machine that replaces the folders of sessions. */
  readonly sessionFolder?: string;
}

interface OpenedSession<T> {
  readonly opened: T;
  readonly notice?: string;
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
    this.users = new ProcessUsers(deps.clock, (error) =>
      deps.log.error('A listener of the agent’s users failed', error),
    );
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

  /**
   * Sends a request for the session `owner`, if any, with the default time-out, which starts again while `progress` returns
   * other values. @throws BackendError
   */
  async request<T>(
    requestName: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
    owner?: object,
    progress?: () => unknown,
  ): Promise<T> {
    try {
      return await this.requestWithTimeout(requestName, signal, request, owner, undefined, progress);
    } catch (error) {
      throw await this.explainAndRecordRefusal(error, 'session');
    }
  }

  /**
   * Opens or restores a session. If the agent fails because of the window's tools, once more without them, if `mayTryAgain`,
   * perhaps in a new process. Then the result has a notice for the user. The agent is not ended meanwhile, also while the
   * user is asked what the session may have.
   * @throws the errors of the first `open`, or `authRequired` and `cancelled` of the second
   */
  openSession<T>(
    open: (live: ConnectedAgent, offer: WindowToolsOffer) => Promise<T>,
    signal?: AbortSignal,
    mayTryAgain: () => boolean = () => true,
    owner?: object,
  ): Promise<OpenedSession<T>> {
    return this.users.during(() => this.tryToOpen(open, signal, mayTryAgain), { owner });
  }

  private async tryToOpen<T>(
    open: (live: ConnectedAgent, offer: WindowToolsOffer) => Promise<T>,
    signal: AbortSignal | undefined,
    mayTryAgain: () => boolean,
  ): Promise<OpenedSession<T>> {
    const { connection, windowTools } = this;
    const live = await connection.connect(signal);
    const version = live.agent.agentInfo?.version;
    const offer = windowTools.offerFor(version);
    try {
      const opened = await open(live, offer);
      windowTools.record(offer, 'openedWith');
      return { opened };
    } catch (error) {
      const explained = await connection.toBackendError(error);
      if (signal?.aborted || !mayTryAgain() || !windowTools.mayBeReason(offer, explained)) throw error;
      const { log, title } = this.deps;
      log.warn(`${title} failed with the window's tools and is tried without them: ${explained.message}`);
      const without = windowTools.offerFor(version, { omits: true });
      let opened: T;
      try {
        opened = await open(await connection.connect(signal), without);
      } catch (secondError) {
        const second = await connection.toBackendError(secondError);
        if (second.code === 'authRequired' || second.code === 'cancelled' || signal?.aborted) throw secondError;
        log.warn(`${title} also failed without the window's tools: ${second.message}`);
        throw error;
      }
      return { opened, notice: withoutToolsNotice(title, windowTools.record(offer, 'openedWithout')) };
    }
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

  /**
   * Like `request`, but throws the original error. The agent is not ended meanwhile, unless it has not answered for so long
   * that it may be frozen. @throws TimeoutError, and the errors of `send`
   */
  requestWithTimeout<T>(
    requestName: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
    owner?: object,
    timeoutMs = this.limits.requestTimeoutMs,
    progress?: () => unknown,
  ): Promise<T> {
    const requestUntil = (deadline: AbortSignal): Promise<T> =>
      request(signal ? AbortSignal.any([signal, deadline]) : deadline);
    const options = progress ? { progress } : {};
    const send = (): Promise<T> => withDeadline(this.deps.clock, requestName, timeoutMs, requestUntil, options);
    return this.users.during(send, { owner, patienceMs: this.limits.cancelGraceMs });
  }

  async sessionParamsFor(
    { client }: ConnectedAgent,
    options: CreateSessionOptions,
    toolCaller: ToolCaller,
    offer: WindowToolsOffer,
  ): Promise<SessionParams> {
    const { additionalDirectories: takesFolders, mcp, systemPrompt: takesInstructions } = client.abilities;
    const { sessionFolder } = this.deps;
    const { cwd, additionalDirectories = [], instructions = '' } = options;
    const capabilities = { http: mcp.http, sse: mcp.sse };
    const onWindowTools = (): void => void (offer.hasWindowTools = true);
    const { omitsWindowTools } = offer;
    const asked = { capabilities, cwd, toolCaller, omitsWindowTools, onWindowTools };
    const mcpServers = [...(await this.deps.mcpServers(asked))];
    const sendsFolders = takesFolders && additionalDirectories.length > 0 && sessionFolder === undefined;
    return {
      cwd: sessionFolder ?? cwd,
      mcpServers,
      ...(sendsFolders ? { additionalDirectories: [...additionalDirectories] } : {}),
      ...(takesInstructions && instructions !== ''
        ? { systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions }] } }
        : {}),
    };
  }

  /** Whether a session may be restored; the agent must be running. @throws BackendError `cancelled` */
  async mayRestore(sessionId: string, cwd: string, signal?: AbortSignal): Promise<boolean> {
    if (!this.traits.losesLoadedSessions) return true;
    return (await this.deps.confirmLoad?.({ sessionId, cwd }, signal)) ?? true;
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

function withoutToolsNotice(title: string, state: WindowToolsState): string {
  const failed = `${title} can’t start a session with Backline’s tools, so it works without them`;
  return state === 'failing'
    ? `${failed}. After an update, or “Backline: Restart Agent”, it gets them again.`
    : `${failed} in this conversation.`;
}
