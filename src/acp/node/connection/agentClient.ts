import {
  client,
  methods,
  RequestError,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionOutcome,
} from '@agentclientprotocol/sdk';
import { BackendError } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { MessageStream } from '../../../wire/common/messageStream';
import type { TrafficTap } from '../../../wire/common/traffic';
import type {
  AgentAbilities,
  AgentDescription,
  AgentOption,
  PermissionRequest,
  SessionSetupResult,
  TurnResult,
} from '../../common/session/agentMessages';
import { isSessionNotification, SessionListResult, type SessionNotification } from '../../common/session/wireSchema';
import { AuthStatusAnswer, type AuthStatus } from '../../common/signIn/authStatus';
import { ThrottledLog } from '../../common/throttledLog';
import { EarlyUpdates } from './earlyUpdates';
import { ChildSessions } from './childSessions';
import { idsOfElicitation, OpenAgentRequests, unlessCancelled } from './agentRequests';
import type { FileService } from '../session/fileService';
import { explainRefusal, initializeParams, createProtocolRequests } from './handshake';
import {
  invalidAnswerError,
  parseAnswer,
  type OptionChange,
  type ProtocolRequests,
  type ProtocolVersion,
  type SendRequest,
  type SessionParams,
} from './protocolRequests';
import { ProviderRequests } from './providerRequests';
import { createSdkStream } from './sdkStream';
import type { TerminalService } from '../process/terminalService';

export interface SessionPeer {
  readonly files: Pick<FileService, 'read' | 'write'>;
  readonly terminals: Pick<TerminalService, 'create' | 'output' | 'waitForExit' | 'kill' | 'release'>;
  /** Called in the order in which updates arrive, also for the sessions of subagents. Must not throw. */
  handleUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion, subagentId?: string): void;
  requestPermission(request: PermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome>;
  /** Whether the session was stopped and the agent goes on with it. Then the user is asked nothing. */
  readonly isAbandoned?: true;
  /** Called when the agent has exited. The peer must end the agent's requests and terminals. */
  handleDisconnect(): void;
}

/** Asks the user on behalf of the agent, with a form or by opening a web page. */
export type Elicit = (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;

export interface AgentClientDeps {
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** If missing, Backline does not offer elicitation to the agent. */
  readonly elicit?: Elicit;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tap: TrafficTap;
  readonly agentTitle: string;
  readonly initializeTimeoutMs: number;
  /** Called when the agent reports that the user's sign-in has changed. */
  readonly onAuthStatus?: (status: AuthStatus) => void;
}

/**
 * A connection to an agent over the SDK, shared by its sessions. The handshake determines the version of the protocol.
 * Does not own the stream.
 */
export class AgentClient {
  private readonly peerBySessionId = new Map<string, SessionPeer>();
  private readonly earlyUpdates = new EarlyUpdates();
  private readonly elicitations = new OpenAgentRequests();
  private readonly childSessions = new ChildSessions();
  /** Sessions whose turn was cancelled and has not ended. */
  private readonly stoppedSessionIds = new Set<string>();
  private readonly throttledLog: ThrottledLog;
  /** Sends any request, for what is the same in both versions of the protocol. @throws the agent's error */
  readonly send: SendRequest = (...request) => this.request(...request);
  /** The requests for LLM providers, for agents with that ability. */
  readonly providers = new ProviderRequests(this.send);
  /** Number of pending `session/new` requests. Updates of unknown sessions are only kept while there are some. */
  private pendingNewSessionCount = 0;
  private connection: ClientConnection | undefined;
  private protocolRequests: ProtocolRequests | undefined;

  constructor(
    private readonly stream: MessageStream,
    private readonly deps: AgentClientDeps,
  ) {
    this.throttledLog = new ThrottledLog(deps.log);
  }

  /** Performs the handshake. @throws TimeoutError, BackendError `protocol` for a version that was not offered */
  async initialize(offered: ProtocolVersion): Promise<AgentDescription> {
    const { clock, log, tap, agentTitle, clientInfo, elicit, initializeTimeoutMs } = this.deps;
    const onUpdate = (params: unknown): void => this.receiveUpdate(params);
    const stream = createSdkStream(this.stream, { log, tap, peer: agentTitle, clock, onUpdate });
    this.connection = this.createApp().connect(stream);
    const params = initializeParams(offered, clientInfo, elicit !== undefined);
    const answer = await withDeadline(clock, 'initialize', initializeTimeoutMs, (signal) =>
      this.request(methods.agent.initialize, params, signal),
    ).catch((error: unknown) => {
      throw explainRefusal(error, agentTitle, offered);
    });
    this.protocolRequests = createProtocolRequests({ answer, offered, agentTitle, send: this.send });
    return this.protocolRequests.agent;
  }

  /** @throws BackendError `notReady` before the handshake */
  get abilities(): AgentAbilities {
    return this.requireProtocolRequests().agent.abilities;
  }

  /** Sends a session's updates and requests to `peer`, starting with the updates that were kept. */
  attach(sessionId: string, peer: SessionPeer): void {
    this.peerBySessionId.set(sessionId, peer);
    if (peer.isAbandoned) this.withdrawQuestionsOf(sessionId);
    for (const update of this.earlyUpdates.take(sessionId)) this.deliverUpdate(sessionId, peer, update);
  }

  detach(sessionId: string): void {
    this.peerBySessionId.delete(sessionId);
    this.withdrawQuestionsOf(sessionId);
    this.childSessions.forgetChildrenOf(sessionId);
    this.protocolRequests?.abandon?.(sessionId, new BackendError('closed', 'The session was closed.'));
  }

  authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    return this.requireProtocolRequests().authenticate(methodId, signal);
  }

  logout(signal?: AbortSignal): Promise<void> {
    return this.requireProtocolRequests().logout(signal);
  }

  /** Undefined if the agent does not report it. @throws the agent's error */
  async authStatus(signal?: AbortSignal): Promise<AuthStatus | undefined> {
    if (!this.abilities.authStatus) return undefined;
    return parseAnswer(AuthStatusAnswer, await this.request('auth/status', {}, signal), 'auth/status');
  }

  /** Opens and deletes a session, to check whether the agent opens sessions. @throws BackendError, the agent's error */
  async trySession(params: SessionParams, signal: AbortSignal): Promise<void> {
    const surface = this.requireProtocolRequests();
    const { close, delete: remove } = this.abilities;
    const { sessionId } = surface.parseSetup(await surface.newSession(params, signal), 'session/new');
    if (sessionId === undefined) throw invalidAnswerError('session/new', 'it has no session id');
    try {
      if (close) await this.request(methods.agent.session.close, { sessionId }, signal);
      if (remove) await this.request(methods.agent.session.delete, { sessionId }, signal);
    } catch (error) {
      this.deps.log.debug(`A session that checked the sign-in was not removed: ${messageOf(error)}`);
    }
  }

  /**
   * Creates a session, with `sourceId` as a copy of another one, and attaches its peer before later updates arrive. If
   * `signal` has fired, closes the new session. @throws BackendError
   */
  async newSession<Peer extends SessionPeer>(
    params: SessionParams,
    createPeer: (sessionId: string, setup: SessionSetupResult) => Peer,
    signal?: AbortSignal,
    sourceId?: string,
  ): Promise<Peer> {
    const method = sourceId === undefined ? 'session/new' : 'session/fork';
    this.pendingNewSessionCount++;
    try {
      const surface = this.requireProtocolRequests();
      const response = surface.newSession(params, signal, sourceId);
      const answer = await rejectOnAbort(response, signal).finally(() => {
        if (signal?.aborted) void this.closeUnwantedSession(response);
      });
      const setup = surface.parseSetup(answer, method);
      if (setup.sessionId === undefined) throw invalidAnswerError(method, 'it has no session id');
      if (sourceId !== undefined && this.peerBySessionId.has(setup.sessionId))
        throw invalidAnswerError(method, 'it names an open session');
      const peer = createPeer(setup.sessionId, setup);
      this.attach(setup.sessionId, peer);
      return peer;
    } finally {
      this.pendingNewSessionCount--;
      if (this.pendingNewSessionCount === 0) this.earlyUpdates.clear();
    }
  }

  /** Restores a session. With `replays`, the history arrives as updates before this resolves, so call `attach` first. */
  restoreSession(
    params: SessionParams & { readonly sessionId: string },
    replays: boolean,
    signal?: AbortSignal,
  ): Promise<SessionSetupResult> {
    return this.requireProtocolRequests().restoreSession(params, replays, signal);
  }

  async listSessions(params: { cwd?: string; cursor?: string }, signal?: AbortSignal): Promise<SessionListResult> {
    const method = methods.agent.session.list;
    return parseAnswer(SessionListResult, await this.request(method, params, signal), method);
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.request(methods.agent.session.close, { sessionId });
  }

  async deleteSession(sessionId: string, signal?: AbortSignal): Promise<void> {
    await this.request(methods.agent.session.delete, { sessionId }, signal);
  }

  /** Sends a prompt. Resolves at the end of the turn; `onEnd` is called first, in the order of the agent's messages. */
  prompt(sessionId: string, prompt: ContentBlock[], onEnd: (result: TurnResult) => void): Promise<TurnResult> {
    const ended = this.requireProtocolRequests().prompt(sessionId, prompt, onEnd);
    return ended.finally(() => this.stoppedSessionIds.delete(sessionId));
  }

  async cancel(sessionId: string, turn: 'own' | 'other' = 'own'): Promise<void> {
    if (turn === 'own') this.stoppedSessionIds.add(sessionId);
    this.withdrawQuestionsOf(sessionId);
    await this.requireConnection().agent.notify(methods.agent.session.cancel, { sessionId });
    this.protocolRequests?.markCancelled?.(sessionId);
  }

  /** Sets an option. Returns the agent's options after the change, if it sends them. */
  setOption(
    sessionId: string,
    change: OptionChange,
    signal?: AbortSignal,
  ): Promise<readonly AgentOption[] | undefined> {
    return this.requireProtocolRequests().setOption(sessionId, change, signal);
  }

  dispose(): void {
    const reason = new ConnectionClosedError({ reason: 'disposed' });
    this.connection?.close(reason);
    this.protocolRequests?.abandon?.(undefined, reason);
    for (const peer of this.peerBySessionId.values()) peer.handleDisconnect();
    this.peerBySessionId.clear();
    this.elicitations.abortMatching(() => true);
    this.earlyUpdates.clear();
  }

  private async closeUnwantedSession(response: Promise<unknown>): Promise<void> {
    try {
      const { sessionId } = this.requireProtocolRequests().parseSetup(await response, 'session/new');
      const isOurs = sessionId === undefined || this.peerBySessionId.has(sessionId);
      if (!isOurs && this.abilities.close) await this.closeSession(sessionId);
    } catch (error) {
      this.deps.log.debug(`A session that was given up has not been opened or closed: ${messageOf(error)}`);
    }
  }

  private request(method: string, params: object, signal?: AbortSignal, stopWaiting = true): Promise<unknown> {
    const options = signal ? { cancellationSignal: signal, stopWaitingOnCancel: stopWaiting } : {};
    return this.requireConnection().agent.request<unknown, object>(method, params, options);
  }

  private requireConnection(): ClientConnection {
    if (!this.connection) throw new BackendError('notReady', `${this.deps.agentTitle} has not been started.`);
    return this.connection;
  }

  requireProtocolRequests(): ProtocolRequests {
    if (!this.protocolRequests) throw new BackendError('notReady', `${this.deps.agentTitle} has not been started.`);
    return this.protocolRequests;
  }

  /** Handlers for the agent's requests. Unknown requests are answered with -32601, unknown notifications are ignored. */
  private createApp() {
    const { elicit, onAuthStatus } = this.deps;
    const { fs, session, terminal, elicitation } = methods.client;
    const app = client({ name: this.deps.clientInfo.name })
      .onRequest(
        session.requestPermission,
        (params) => this.requireProtocolRequests().parsePermissionRequest(params),
        async ({ params, signal }) => ({
          outcome: await this.requirePeer(params.sessionId).requestPermission(params, signal),
        }),
      )
      .onRequest(fs.readTextFile, ({ params, signal }) =>
        this.requirePeerInVersion1(params.sessionId, fs.readTextFile).files.read(params, signal),
      )
      .onRequest(fs.writeTextFile, ({ params, signal }) =>
        this.requirePeerInVersion1(params.sessionId, fs.writeTextFile).files.write(params, signal),
      )
      .onRequest(terminal.create, ({ params, signal }) =>
        unlessCancelled(
          signal,
          this.requirePeerInVersion1(params.sessionId, terminal.create).terminals.create(params, signal),
        ),
      )
      .onRequest(terminal.output, ({ params }) =>
        this.requirePeerInVersion1(params.sessionId, terminal.output).terminals.output(params.terminalId),
      )
      .onRequest(terminal.waitForExit, ({ params, signal }) =>
        unlessCancelled(
          signal,
          this.requirePeerInVersion1(params.sessionId, terminal.waitForExit).terminals.waitForExit(params.terminalId),
        ),
      )
      .onRequest(terminal.kill, ({ params }) =>
        this.requirePeerInVersion1(params.sessionId, terminal.kill).terminals.kill(params.terminalId),
      )
      .onRequest(terminal.release, ({ params }) =>
        this.requirePeerInVersion1(params.sessionId, terminal.release).terminals.release(params.terminalId),
      );
    app.onNotification('auth/status_update', AuthStatusAnswer, ({ params }) => onAuthStatus?.(params));
    if (!elicit) return app;
    return app
      .onRequest(elicitation.create, ({ params, signal }) =>
        this.elicitations.run(idsOfElicitation(params), signal, async (live) =>
          this.mayAsk(idsOfElicitation(params).sessionId) ? await elicit(params, live) : { action: 'cancel' },
        ),
      )
      .onNotification(elicitation.complete, ({ params }) =>
        this.elicitations.abortMatching(({ id }) => id === params.elicitationId),
      );
  }

  private requirePeer(sessionId: string): SessionPeer {
    const peer = this.peerOf(sessionId);
    if (!peer) throw RequestError.sessionNotFound(sessionId);
    return peer;
  }

  /** The session itself, or that of the agent whose subagent it is. */
  private peerOf(sessionId: string): SessionPeer | undefined {
    return this.peerBySessionId.get(sessionId) ?? this.parentOf(sessionId)?.peer;
  }

  private parentOf(childId: string): { readonly id: string; readonly peer: SessionPeer } | undefined {
    const id = this.childSessions.ownerOf(childId);
    const peer = id === undefined ? undefined : this.peerBySessionId.get(id);
    return id !== undefined && peer ? { id, peer } : undefined;
  }

  /** Not for a stopped turn, a conversation that is gone, or the subagents of these. */
  private mayAsk(sessionId: string | undefined): boolean {
    if (sessionId === undefined) return true;
    const ownerId = this.peerBySessionId.has(sessionId) ? sessionId : this.parentOf(sessionId)?.id;
    if (ownerId === undefined) return this.pendingNewSessionCount > 0;
    return this.peerBySessionId.get(ownerId)?.isAbandoned !== true && !this.stoppedSessionIds.has(ownerId);
  }

  /** Also those of its subagents. */
  private withdrawQuestionsOf(sessionId: string): void {
    this.elicitations.abortMatching(
      ({ sessionId: id = '' }) =>
        id === sessionId || (!this.peerBySessionId.has(id) && this.childSessions.ownerOf(id) === sessionId),
    );
  }

  /** Version 2 has no requests for files and terminals. */
  private requirePeerInVersion1(sessionId: string, method: string): SessionPeer {
    if (this.requireProtocolRequests().version !== 1) throw RequestError.methodNotFound(method);
    return this.requirePeer(sessionId);
  }

  private deliverUpdate(sessionId: string, peer: SessionPeer, update: SessionNotification['update']): void {
    const { protocolRequests } = this;
    if (!protocolRequests) return;
    protocolRequests.trackPromptProgress?.(sessionId, update);
    this.childSessions.observe(sessionId, update);
    peer.handleUpdate(update, protocolRequests.version);
  }

  private deliverToParent({ sessionId, update }: SessionNotification): boolean {
    const parent = this.parentOf(sessionId);
    if (!parent || !this.protocolRequests) return false;
    this.childSessions.observe(parent.id, update);
    parent.peer.handleUpdate(update, this.protocolRequests.version, sessionId);
    return true;
  }

  private keepEarlyUpdate(notification: SessionNotification): boolean {
    return this.pendingNewSessionCount > 0 && this.earlyUpdates.keep(notification);
  }

  private receiveUpdate(params: unknown): void {
    if (!isSessionNotification(params)) {
      this.throttledLog.warn('Ignored a session/update without a session or a kind', '');
      return;
    }
    const peer = this.peerBySessionId.get(params.sessionId);
    if (peer) this.deliverUpdate(params.sessionId, peer, params.update);
    else if (!this.deliverToParent(params) && !this.keepEarlyUpdate(params)) {
      this.throttledLog.warn('Ignored an update of an unknown session', ` (${params.sessionId.slice(0, 100)})`);
    }
  }
}
