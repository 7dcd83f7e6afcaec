import {
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type RequestPermissionOutcome,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { MessageStream } from '../../../wire/common/messageStream';
import type { TrafficTap } from '../../../wire/common/traffic';
import {
  ConfigChangeResult,
  InitializeResult,
  PermissionRequest,
  PromptResult,
  SessionList,
  SessionNotification,
  SessionSetup,
  type ConfigOption,
} from '../../common/v1/v1Schema';
import { ThrottledLog } from '../../common/throttledLog';
import { OpenRequests, unlessCancelled } from './agentRequests';
import type { FileService } from '../v1/fileService';
import { createSdkStream } from './sdkStream';
import type { TerminalService } from '../process/terminalService';

export interface SessionPeer {
  readonly files: FileService;
  readonly terminals: TerminalService;
  /** Called in order of arrival; must not throw. */
  handleUpdate(update: { readonly sessionUpdate: string }): void;
  requestPermission(request: PermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome>;
  /** Called when the agent has exited: its requests and terminals must end. */
  handleDisconnect(): void;
}

/** Asks the user on behalf of the agent: with a form, or by opening a page. */
export type Elicit = (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;

export interface AgentClientDeps {
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** If missing, elicitation is reported as unsupported. */
  readonly elicit?: Elicit;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tap: TrafficTap;
  readonly agentTitle: string;
  readonly initializeTimeoutMs: number;
}

export type SessionParams = Pick<NewSessionRequest, 'cwd' | 'additionalDirectories' | 'mcpServers'>;

/** Updates buffered for sessions not created yet: some agents send updates before they answer `session/new`. */
const maxEarlyUpdates = 1_000;
const maxEarlyBytes = 16 * 1024 * 1024;

/** A connection to an ACP v1 agent over the SDK, shared by its sessions. Does not own the stream. */
export class AgentClient {
  private readonly peerBySessionId = new Map<string, SessionPeer>();
  private earlyUpdates: SessionNotification[] = [];
  private earlyBytes = 0;
  private readonly elicitations = new OpenRequests();
  private readonly throttledLog: ThrottledLog;
  /** Pending `session/new` requests. Only while there are any, updates of unknown sessions are buffered. */
  private pendingNewSessionCount = 0;
  private connection: ClientConnection | undefined;
  private initializeResult: InitializeResult | undefined;

  constructor(
    private readonly stream: MessageStream,
    private readonly options: AgentClientDeps,
  ) {
    this.throttledLog = new ThrottledLog(options.log);
  }

  /** Performs the handshake. @throws TimeoutError, BackendError `protocol` for another version of ACP */
  async initialize(): Promise<InitializeResult> {
    const { clock, log, tap, agentTitle, clientInfo, elicit, initializeTimeoutMs } = this.options;
    const onUpdate = (params: unknown): void => this.receiveUpdate(params);
    const stream = createSdkStream(this.stream, { log, tap, peer: agentTitle, clock, onUpdate });
    this.connection = this.createApp().connect(stream);
    const request = {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { ...clientInfo },
      clientCapabilities: clientCapabilities(elicit !== undefined),
    };
    const agent = await withDeadline(clock, 'initialize', initializeTimeoutMs, (signal) =>
      this.requestAndParse(InitializeResult, methods.agent.initialize, request, signal),
    );
    if (agent.protocolVersion !== PROTOCOL_VERSION) {
      const message = `${agentTitle} uses ACP version ${agent.protocolVersion}, but Backline supports version ${PROTOCOL_VERSION}. Install a compatible version of ${agentTitle}.`;
      throw new BackendError('protocol', message);
    }
    this.initializeResult = agent;
    return agent;
  }

  /** The agent's capabilities; empty before the handshake. */
  get capabilities(): NonNullable<InitializeResult['agentCapabilities']> {
    return this.initializeResult?.agentCapabilities ?? {};
  }

  /** Routes a session's updates and requests to `peer`, starting with buffered updates. */
  attach(sessionId: string, peer: SessionPeer): void {
    this.peerBySessionId.set(sessionId, peer);
    const buffered = this.earlyUpdates.filter((notification) => notification.sessionId === sessionId);
    this.earlyUpdates = this.earlyUpdates.filter((notification) => notification.sessionId !== sessionId);
    for (const { update } of buffered) peer.handleUpdate(update);
  }

  detach(sessionId: string): void {
    this.peerBySessionId.delete(sessionId);
    this.elicitations.abortMatching((request) => request.sessionId === sessionId);
  }

  async authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    await this.request(methods.agent.authenticate, { methodId }, signal);
  }

  /** Attaches the peer before later updates. Closes a session created after `signal` fired. @throws BackendError */
  async newSession<Peer extends SessionPeer>(
    params: SessionParams,
    createPeer: (sessionId: string, setup: SessionSetup) => Peer,
    signal?: AbortSignal,
  ): Promise<Peer> {
    this.pendingNewSessionCount++;
    try {
      const response = this.request(methods.agent.session.new, params, signal, false);
      const answer = await rejectOnAbort(response, signal).finally(() => {
        if (signal?.aborted) void this.closeUnwantedSession(response);
      });
      const setup = parseAnswer(SessionSetup, answer, 'session/new');
      if (setup.sessionId === undefined) throw invalidAnswerError('session/new', 'it has no session id');
      const peer = createPeer(setup.sessionId, setup);
      this.attach(setup.sessionId, peer);
      return peer;
    } finally {
      this.pendingNewSessionCount--;
      if (this.pendingNewSessionCount === 0) this.dropEarlyUpdates();
    }
  }

  /** Loads a session. The history arrives as updates before this resolves, so call `attach` first. */
  loadSession(params: LoadSessionRequest, signal?: AbortSignal): Promise<SessionSetup> {
    return this.requestAndParse(SessionSetup, methods.agent.session.load, params, signal);
  }

  resumeSession(params: LoadSessionRequest, signal?: AbortSignal): Promise<SessionSetup> {
    return this.requestAndParse(SessionSetup, methods.agent.session.resume, params, signal);
  }

  listSessions(params: { cwd?: string; cursor?: string }, signal?: AbortSignal): Promise<z.infer<typeof SessionList>> {
    return this.requestAndParse(SessionList, methods.agent.session.list, params, signal);
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.request(methods.agent.session.close, { sessionId });
  }

  async deleteSession(sessionId: string, signal?: AbortSignal): Promise<void> {
    await this.request(methods.agent.session.delete, { sessionId }, signal);
  }

  /** Sends a prompt. Resolves at the end of the turn. */
  prompt(sessionId: string, prompt: ContentBlock[]): Promise<PromptResult> {
    return this.requestAndParse(PromptResult, methods.agent.session.prompt, { sessionId, prompt });
  }

  async cancel(sessionId: string): Promise<void> {
    this.elicitations.abortMatching((request) => request.sessionId === sessionId);
    await this.requireConnection().agent.notify(methods.agent.session.cancel, { sessionId });
  }

  async setMode(sessionId: string, modeId: string, signal?: AbortSignal): Promise<void> {
    await this.request(methods.agent.session.setMode, { sessionId, modeId }, signal);
  }

  /** Sets the model of agents that still offer `models`, which were removed from the protocol. */
  async setModel(sessionId: string, modelId: string, signal?: AbortSignal): Promise<void> {
    await this.request('session/set_model', { sessionId, modelId }, signal);
  }

  /** Sets an option. Returns the agent's options after the change, if it sends them. */
  setConfigOption(
    sessionId: string,
    configId: string,
    value: string | boolean,
    signal?: AbortSignal,
  ): Promise<readonly ConfigOption[] | undefined> {
    const change = typeof value === 'boolean' ? ({ type: 'boolean', value } as const) : { value };
    const params = { sessionId, configId, ...change };
    return this.requestAndParse(ConfigChangeResult, methods.agent.session.setConfigOption, params, signal);
  }

  dispose(): void {
    this.connection?.close(new ConnectionClosedError({ reason: 'disposed' }));
    for (const peer of this.peerBySessionId.values()) peer.handleDisconnect();
    this.peerBySessionId.clear();
    this.elicitations.abortMatching(() => true);
    this.dropEarlyUpdates();
  }

  private async closeUnwantedSession(response: Promise<unknown>): Promise<void> {
    try {
      const { sessionId } = parseAnswer(SessionSetup, await response, 'session/new');
      const isOurs = sessionId === undefined || this.peerBySessionId.has(sessionId);
      if (!isOurs && this.capabilities.sessionCapabilities?.close) await this.closeSession(sessionId);
    } catch (error) {
      this.options.log.debug(`A session that was given up has not been opened or closed: ${messageOf(error)}`);
    }
  }

  private async requestAndParse<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    params: object,
    signal?: AbortSignal,
  ): Promise<z.output<Schema>> {
    return parseAnswer(schema, await this.request(method, params, signal), method);
  }

  private request(method: string, params: object, signal?: AbortSignal, stopWaiting = true): Promise<unknown> {
    const options = signal ? { cancellationSignal: signal, stopWaitingOnCancel: stopWaiting } : {};
    return this.requireConnection().agent.request<unknown, object>(method, params, options);
  }

  private requireConnection(): ClientConnection {
    if (!this.connection) throw new BackendError('notReady', `${this.options.agentTitle} has not been started.`);
    return this.connection;
  }

  /** Handlers of the agent's requests. Unknown requests are answered with -32601, unknown notifications are ignored. */
  private createApp() {
    const { elicit } = this.options;
    const { fs, session, terminal, elicitation } = methods.client;
    const app = client({ name: this.options.clientInfo.name })
      .onRequest(session.requestPermission, PermissionRequest, async ({ params, signal }) => ({
        outcome: await this.requirePeer(params.sessionId).requestPermission(params, signal),
      }))
      .onRequest(fs.readTextFile, ({ params, signal }) => this.requirePeer(params.sessionId).files.read(params, signal))
      .onRequest(fs.writeTextFile, ({ params, signal }) =>
        this.requirePeer(params.sessionId).files.write(params, signal),
      )
      .onRequest(terminal.create, ({ params, signal }) =>
        unlessCancelled(signal, this.requirePeer(params.sessionId).terminals.create(params, signal)),
      )
      .onRequest(terminal.output, ({ params }) =>
        this.requirePeer(params.sessionId).terminals.output(params.terminalId),
      )
      .onRequest(terminal.waitForExit, ({ params, signal }) =>
        unlessCancelled(signal, this.requirePeer(params.sessionId).terminals.waitForExit(params.terminalId)),
      )
      .onRequest(terminal.kill, ({ params }) => this.requirePeer(params.sessionId).terminals.kill(params.terminalId))
      .onRequest(terminal.release, ({ params }) =>
        this.requirePeer(params.sessionId).terminals.release(params.terminalId),
      );
    if (!elicit) return app;
    return app
      .onRequest(elicitation.create, ({ params, signal }) =>
        this.elicitations.run(idsOfElicitation(params), signal, (live) => elicit(params, live)),
      )
      .onNotification(elicitation.complete, ({ params }) =>
        this.elicitations.abortMatching(({ id }) => id === params.elicitationId),
      );
  }

  private dropEarlyUpdates(): void {
    this.earlyUpdates = [];
    this.earlyBytes = 0;
  }

  private requirePeer(sessionId: string): SessionPeer {
    const peer = this.peerBySessionId.get(sessionId);
    if (!peer) throw RequestError.sessionNotFound(sessionId);
    return peer;
  }

  private receiveUpdate(params: unknown): void {
    const parsed = SessionNotification.safeParse(params);
    if (!parsed.success) {
      this.throttledLog.warn('Ignored a session/update without a session or a kind', '');
      return;
    }
    const peer = this.peerBySessionId.get(parsed.data.sessionId);
    if (peer) peer.handleUpdate(parsed.data.update);
    else if (!this.bufferEarlyUpdate(parsed.data)) {
      this.throttledLog.warn('Ignored an update of an unknown session', ` (${parsed.data.sessionId.slice(0, 100)})`);
    }
  }

  private bufferEarlyUpdate(notification: SessionNotification): boolean {
    if (this.pendingNewSessionCount === 0 || this.earlyUpdates.length >= maxEarlyUpdates) return false;
    const bytes = Buffer.byteLength(JSON.stringify(notification));
    if (this.earlyBytes + bytes > maxEarlyBytes) return false;
    this.earlyUpdates.push(notification);
    this.earlyBytes += bytes;
    return true;
  }
}

const ElicitationIds = z.looseObject({
  sessionId: z.string().optional().catch(undefined),
  elicitationId: z.string().optional().catch(undefined),
});

function idsOfElicitation(request: CreateElicitationRequest) {
  const { sessionId, elicitationId } = ElicitationIds.parse(request);
  return { sessionId, id: elicitationId };
}

function clientCapabilities(canElicit: boolean) {
  return {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    ...(canElicit ? { elicitation: { form: {}, url: {} } } : {}),
    // Enables extensions of Claude, Codex and Copilot: output of the agent's own terminals, and sign-in by a command.
    _meta: { terminal_output: true, terminal_output_delta: true, 'terminal-auth': true },
  };
}

function parseAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown, method: string): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw invalidAnswerError(method, parsed.error.issues[0]?.message ?? 'unexpected format');
}

function invalidAnswerError(method: string, why: string): BackendError {
  return new BackendError('protocol', `The agent sent an invalid response to ${method}: ${why}.`);
}
