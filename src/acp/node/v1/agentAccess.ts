import type { McpServer } from '@agentclientprotocol/sdk';
import { withDeadline } from '../../../base/common/async';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import { traitsOf, type AgentTraits } from '../../common/catalogue/knownAgents';
import { AgentConnection, type AcpLimits, type AgentConnectionOptions, type LiveAgent } from './agentConnection';
import { SignIn, type SignInCommand } from './signIn';
import type { SessionParams } from './v1Client';
import { isAuthRequired } from './v1Errors';

export interface AgentAccessOptions extends Omit<AgentConnectionOptions, 'limits'> {
  readonly missingFile: 'empty' | 'error';
  /** The id of the known agent that its command line starts. */
  readonly knownAs?: string;
  /** The MCP servers for a new session, as far as the agent can use them. */
  readonly mcpServers: (capabilities: { http: boolean; sse: boolean }, cwd: string) => Promise<readonly McpServer[]>;
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
  exitGraceMs: 1_000,
};

/** One agent as its backend and its sessions use it: it starts when it is needed, and every request to it has an end. */
export class AgentAccess {
  readonly limits: AcpLimits;
  readonly connection: AgentConnection;
  readonly signIn: SignIn;

  constructor(private readonly options: AgentAccessOptions) {
    const limits = (this.limits = { ...defaultLimits, ...options.limits });
    this.connection = new AgentConnection({ ...options, limits });
    this.signIn = new SignIn({ ...options, connection: this.connection, limits });
  }

  get title(): string {
    return this.options.title;
  }

  /** How to deal with the agent that runs now. */
  get traits(): AgentTraits {
    const { knownAs, missingFile } = this.options;
    return traitsOf(this.connection.current?.agent.agentInfo?.name, missingFile, knownAs);
  }

  /** A request that must not take for ever. @throws BackendError */
  async ask<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.inTime(what, signal, request);
    } catch (error) {
      throw isAuthRequired(error) ? this.signIn.require(error) : await this.connection.explain(error);
    }
  }

  /** The same with what went wrong as it came. @throws TimeoutError, and what `request` throws */
  inTime<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
    timeoutMs = this.limits.requestTimeoutMs,
  ): Promise<T> {
    return withDeadline(this.options.clock, what, timeoutMs, (deadline) =>
      request(signal ? AbortSignal.any([signal, deadline]) : deadline),
    );
  }

  /** What to open a session with in this process. */
  async sessionParams({ client }: LiveAgent, options: CreateSessionOptions): Promise<SessionParams> {
    const { mcpCapabilities, sessionCapabilities } = client.capabilities;
    const { cwd, additionalDirectories = [] } = options;
    const capabilities = { http: mcpCapabilities?.http === true, sse: mcpCapabilities?.sse === true };
    const mcpServers = [...(await this.options.mcpServers(capabilities, cwd))];
    const takesMore = sessionCapabilities?.additionalDirectories === true && additionalDirectories.length > 0;
    return { cwd, mcpServers, ...(takesMore ? { additionalDirectories: [...additionalDirectories] } : {}) };
  }

  /** Ends the agent, and everything pending, for this reason. The next need starts it again. Never rejects. */
  stop(reason: string): Promise<void> {
    return this.connection.stop(new BackendError('closed', reason));
  }

  dispose(): void {
    this.connection.dispose();
    this.signIn.dispose();
  }
}
