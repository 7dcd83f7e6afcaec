import type { McpServer } from '@agentclientprotocol/sdk';
import {
  BackendError,
  type BackendCapabilities,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
  type SessionSummary,
} from '../../../session/common/sessionBackend';
import { KeyedQueue, withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import { witnessed, type WriteWitness } from '../../../editor/common/writeWitness';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { untilAborted } from '../../../session/common/untilAborted';
import type { TrafficTap } from '../../../wire/common/traffic';
import { traitsOf } from '../../common/catalogue/knownAgents';
import { defaultLimits, type AcpLimits } from '../acpLimits';
import { AgentConnection, type LiveAgent, type RunningAgent } from './agentConnection';
import type { RestartPolicy } from '../process/restartPolicy';
import { allSessions } from './sessionListing';
import { SessionRevival } from './sessionRevival';
import { SignIn, type SignInCommand } from './signIn';
import type { Elicit, SessionParams, V1Client, V1ClientOptions } from './v1Client';
import { isAuthRequired } from './v1Errors';
import { V1Session, type SessionHost } from './v1Session';

export interface AcpBackendOptions {
  readonly id: string;
  readonly title: string;
  readonly clientInfo: V1ClientOptions['clientInfo'];
  readonly editor: EditorPort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tap: TrafficTap;
  readonly startAgent: () => Promise<RunningAgent>;
  readonly restartPolicy: RestartPolicy;
  readonly mayDownload?: boolean;
  readonly standing: StandingPermissions;
  readonly witness?: WriteWitness;
  readonly missingFile: 'empty' | 'error';
  /** The id of the known agent that its command line starts. */
  readonly knownAs?: string;
  /** The environment that the agent's terminals start from. */
  readonly terminalEnv: Readonly<Record<string, string>>;
  /** The MCP servers for a new session, as far as the agent can use them. */
  readonly mcpServers: (capabilities: { http: boolean; sse: boolean }, cwd: string) => Promise<readonly McpServer[]>;
  readonly elicit?: Elicit;
  readonly runInTerminal?: (command: SignInCommand) => Promise<boolean>;
  readonly limits?: Partial<AcpLimits>;
}

const closeTimeoutMs = 2_000;

/** An ACP v1 agent as a session backend: one process, any number of conversations. */
export class AcpBackend implements SessionBackend, SessionHost {
  readonly id: string;
  readonly title: string;
  private readonly limits: AcpLimits;
  private readonly connection: AgentConnection;
  private readonly signing: SignIn;
  private readonly revival: SessionRevival;
  private readonly sessions = new Map<string, V1Session>();
  /** Which sessions the running agent knows. */
  private attached = new WeakMap<V1Client, Set<V1Session>>();
  private readonly queue = new KeyedQueue();
  private readonly loads = new KeyedQueue();

  constructor(private readonly options: AcpBackendOptions) {
    const {
      clientInfo,
      clock,
      elicit,
      id,
      log,
      mayDownload = false,
      restartPolicy,
      runInTerminal,
      startAgent,
      tap,
      title,
    } = options;
    this.id = id;
    this.title = title;
    this.limits = { ...defaultLimits, ...options.limits };
    const { coldStartTimeoutMs, initializeTimeoutMs, authenticateTimeoutMs, exitGraceMs, signInTimeoutMs } =
      this.limits;
    this.connection = new AgentConnection({
      title,
      clock,
      log,
      startAgent,
      restartPolicy,
      mayDownload,
      client: { clientInfo, tap, ...(elicit ? { elicit } : {}) },
      coldStartTimeoutMs,
      initializeTimeoutMs,
      exitGraceMs,
    });
    this.signing = new SignIn({
      title,
      clock,
      log,
      connection: this.connection,
      authenticateTimeoutMs,
      waitTimeoutMs: signInTimeoutMs,
      ...(runInTerminal ? { runInTerminal } : {}),
    });
    this.revival = new SessionRevival({
      title,
      log,
      params: (live, folders) => this.sessionParams(live, folders),
      inTime: (what, signal, request) => this.inTime(what, signal, request),
      isCurrent: (live) => this.connection.current === live,
      onAttached: (session, { client }) => this.markAttached(session, client),
    });
  }

  get state(): BackendState {
    return this.connection.state;
  }

  get onDidChangeState(): Event<BackendState> {
    return this.connection.onDidChangeState;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    const { client } = await this.connection.connect(signal);
    const { loadSession, promptCapabilities, sessionCapabilities } = client.capabilities;
    return {
      canLoad: loadSession === true || sessionCapabilities?.resume === true,
      canList: sessionCapabilities?.list === true,
      canDelete: sessionCapabilities?.delete === true,
      images: promptCapabilities?.image === true,
      embeddedContext: promptCapabilities?.embeddedContext === true,
    };
  }

  /** Waits for the user to sign in when the agent wants that and says how. */
  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    try {
      return await this.openSession(options, signal);
    } catch (error) {
      const { state } = this;
      const isWorthWaiting = state.kind === 'authRequired' && state.methods.length > 0;
      if (!(error instanceof BackendError) || error.code !== 'authRequired' || !isWorthWaiting) throw error;
      await this.signing.wait(error.cause, signal);
    }
    return this.openSession(options, signal);
  }

  /** Not while the user has to sign in, and not where the first start may download the agent. */
  async prepareSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession | undefined> {
    const isQuiet = this.state.kind !== 'authRequired' && !this.connection.mayDownload;
    return isQuiet ? await this.openSession(options, signal) : undefined;
  }

  private async openSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    const live = await this.connection.connect(signal);
    const params = await this.sessionParams(live, options);
    const session = await this.ask('session/new', signal, (requestSignal) =>
      live.client.newSession(
        params,
        (sessionId, setup) => {
          const created = this.newSession(sessionId, options);
          created.setUp(setup);
          return created;
        },
        requestSignal,
      ),
    );
    this.keep(session, live.client);
    return session;
  }

  async listSessions({ cwd, signal }: { cwd?: string; signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const { client } = await this.connection.connect(signal);
    if (!client.capabilities.sessionCapabilities?.list) throw this.unsupported('tell which conversations it remembers');
    return allSessions(cwd, (params) =>
      this.ask('session/list', signal, (requestSignal) => client.listSessions(params, requestSignal)),
    );
  }

  async loadSession(sessionId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    // Who asks for the same one meanwhile gets it, too.
    const loaded = this.loads.run(sessionId, () => this.loadOnce(sessionId, options, signal));
    return await untilAborted(loaded, signal);
  }

  private async loadOnce(sessionId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<V1Session> {
    const open = this.openOne(sessionId);
    if (open) return open;
    const live = await this.connection.connect(signal);
    const { loadSession, sessionCapabilities } = live.client.capabilities;
    if (!loadSession && !sessionCapabilities?.resume) throw this.unsupported('take up a conversation again');
    const session = this.newSession(sessionId, options);
    try {
      const setup = await this.ask('session/load', signal, (requestSignal) =>
        this.loadWithHistory(session, live, loadSession ? 'load' : 'resume', requestSignal),
      );
      session.setUp(setup);
    } catch (error) {
      live.client.detach(sessionId);
      session.dispose();
      throw error;
    }
    this.keep(session, live.client);
    return session;
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { client } = await this.connection.connect();
    if (!client.capabilities.sessionCapabilities?.delete) throw this.unsupported('delete conversations');
    await this.openOne(sessionId)?.close();
    await this.ask('session/delete', undefined, (signal) => client.deleteSession(sessionId, signal));
  }

  /** Signs in by one of the methods of state `authRequired`, and lets go on what waited for it. @throws BackendError */
  authenticate(methodId: string): Promise<void> {
    return this.signing.authenticate(methodId);
  }

  /** @throws BackendError `unsupported` */
  async logout(): Promise<void> {
    const { client } = await this.connection.connect();
    if (!client.capabilities.auth?.logout) throw this.unsupported('sign out');
    await this.ask('logout', undefined, () => client.logout());
  }

  async stop(): Promise<void> {
    const stopped = this.connection.stop(new BackendError('closed', `${this.title} was stopped.`));
    await Promise.all([stopped, ...[...this.sessions.values()].map(({ terminals }) => terminals.endAll())]);
  }

  dispose(): void {
    for (const session of [...this.sessions.values()]) session.dispose();
    this.connection.dispose();
    this.signing.dispose();
  }

  // What sessions need.

  async ask<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.inTime(what, signal, request);
    } catch (error) {
      throw isAuthRequired(error) ? this.signing.require(error) : await this.explain(error);
    }
  }

  async connect(session: V1Session, signal: AbortSignal): Promise<V1Client> {
    const live = await this.connection.connect(signal);
    const attach = this.queue.run(session.id, async () => {
      if (this.attached.get(live.client)?.has(session)) return;
      await this.revival.attachAgain(session, live, AbortSignal.any([signal, session.ended]));
    });
    await untilAborted(attach, signal);
    return live.client;
  }

  signIn(error: unknown, signal: AbortSignal): Promise<void> {
    return this.signing.wait(error, signal);
  }

  explain(error: unknown): Promise<BackendError> {
    return this.connection.explain(error);
  }

  kill(reason: string): Promise<void> {
    return this.connection.stop(new BackendError('closed', reason));
  }

  async forget(session: V1Session): Promise<void> {
    this.sessions.delete(session.id);
    const client = this.connection.current?.client;
    if (!client || !this.attached.get(client)?.delete(session)) return;
    client.detach(session.agentSessionId);
    if (!client.capabilities.sessionCapabilities?.close) return;
    await withDeadline(this.options.clock, 'session/close', closeTimeoutMs, () =>
      client.closeSession(session.agentSessionId),
    ).catch((error: unknown) => this.options.log.debug(`Could not close a session: ${messageOf(error)}`));
  }

  private newSession(sessionId: string, folders: CreateSessionOptions): V1Session {
    const { clock, editor, knownAs, log, missingFile, standing, terminalEnv, witness } = this.options;
    const writer = { backendId: this.id, sessionId };
    return new V1Session(sessionId, folders, {
      agentId: this.id,
      agentTitle: this.title,
      editor,
      files: witness ? witnessed(editor, witness, writer) : editor,
      clock,
      log,
      standing,
      traits: () => traitsOf(this.connection.current?.agent.agentInfo?.name, missingFile, knownAs),
      env: terminalEnv,
      cancelGraceMs: this.limits.cancelGraceMs,
      host: this,
    });
  }

  private keep(session: V1Session, client: V1Client): void {
    this.sessions.set(session.id, session);
    this.markAttached(session, client);
  }

  private markAttached(session: V1Session, client: V1Client): void {
    const known = this.attached.get(client) ?? new Set();
    this.attached.set(client, known.add(session));
    session.joinedProcess();
  }

  /** What the agent tells of it is the session's past. */
  private async loadWithHistory(session: V1Session, live: LiveAgent, how: 'load' | 'resume', signal: AbortSignal) {
    const endReplay = session.startReplay();
    try {
      return await this.revival.takeUp(session, live, how, signal);
    } finally {
      endReplay();
    }
  }

  private async sessionParams({ client }: LiveAgent, options: CreateSessionOptions): Promise<SessionParams> {
    const { mcpCapabilities, sessionCapabilities } = client.capabilities;
    const { cwd, additionalDirectories = [] } = options;
    const capabilities = { http: mcpCapabilities?.http === true, sse: mcpCapabilities?.sse === true };
    const mcpServers = [...(await this.options.mcpServers(capabilities, cwd))];
    const takesMore = sessionCapabilities?.additionalDirectories === true && additionalDirectories.length > 0;
    return { cwd, mcpServers, ...(takesMore ? { additionalDirectories: [...additionalDirectories] } : {}) };
  }

  /** The same with what went wrong as it came. @throws TimeoutError, and what `request` throws */
  private inTime<T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withDeadline(this.options.clock, what, this.limits.requestTimeoutMs, (deadline) =>
      request(signal ? AbortSignal.any([signal, deadline]) : deadline),
    );
  }

  /** By its name here, or by the agent's. */
  private openOne(sessionId: string): V1Session | undefined {
    const all = [...this.sessions.values()];
    return all.find(({ agentSessionId }) => agentSessionId === sessionId) ?? this.sessions.get(sessionId);
  }

  private unsupported(what: string): BackendError {
    return new BackendError('unsupported', `${this.title} cannot ${what}.`);
  }
}
