import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { SessionEngine } from '../../../session/common/engine/sessionEngine';
import { disposeWhenIdle } from '../../../session/common/generations/disposeWhenIdle';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import {
  BackendError,
  type BackendCapabilities,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
  type SessionSummary,
  isBackendError,
} from '../../../session/common/sessionBackend';
import type { EditorPort } from '../../../editor/common/editorPort';
import { ObservedWrites, withObservedWrites, type WriteObserver } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { createFileRequest } from '../../../permissions/common/requests/toolRequest';
import type { TrafficTap } from '../../../wire/common/traffic';
import type { Message, MessageChunk, ThreadEntry } from '../../common/draft/draftSchema';
import { MemoryThreads, messageText, type DraftThreadSource, type ThreadApi } from '../../common/draft/draftThreads';
import type { RunningAgent } from '../connection/agentConnection';
import type { DraftFilePermissions } from './draftFiles';
import { DraftAgentConnection } from './draftAgentConnection';
import { DraftSession } from './draftSession';
import { RunningAgents } from '../process/runningAgents';
import { PermissionService, decideFileAccess } from '../session/permissionService';
import { ProposalReviewer } from './proposalReviewer';

interface DraftBackendDeps {
  readonly id: string;
  readonly title: string;
  /** Starts the agent. The backend owns the result. @throws Error with a message for the user */
  readonly startAgent: () => Promise<RunningAgent>;
  readonly editor: EditorPort;
  readonly threadSources?: readonly DraftThreadSource[];
  readonly standing: StandingPermissions;
  readonly writeObserver?: WriteObserver;
  readonly clock: Clock;
  readonly createId: () => string;
  /** Removes the user's keys from streamed text. They are already removed from complete texts. */
  readonly redactor?: SecretRedactor;
  readonly tap: TrafficTap;
  readonly log: Logger;
}

/** A backend for an agent of the draft protocol. Its sessions end with the agent; the next session restarts it. */
export class DraftBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly stateEmitter = new Emitter<BackendState>((error) =>
    this.deps.log.error('A listener of a backend failed', error),
  );
  readonly onDidChangeState = this.stateEmitter.event;
  private readonly threads: MemoryThreads;
  private readonly sessions = new Map<string, DraftSession>();
  private readonly permissionsByThread = new Map<string, PermissionService>();
  private currentState: BackendState = { kind: 'stopped' };
  private pendingConnection: Promise<DraftAgentConnection> | undefined;
  private currentConnection: DraftAgentConnection | undefined;
  private readonly runningAgents = new RunningAgents<DraftAgentConnection>();
  private isDisposed = false;
  private retirement: Promise<void> | undefined;

  constructor(private readonly deps: DraftBackendDeps) {
    this.id = deps.id;
    this.title = deps.title;
    const { clock, createId, log, threadSources = [] } = deps;
    this.threads = new MemoryThreads({
      now: () => clock.now(),
      createId,
      sources: threadSources,
      onError: (error) => log.error('A source of threads failed', error),
      isThreadOpen: (threadId) => this.sessions.has(threadId),
    });
  }

  get state(): BackendState {
    return this.currentState;
  }

  async capabilities(): Promise<BackendCapabilities> {
    await this.connect();
    return { canLoad: true, canList: true, canDelete: false, images: false, embeddedContext: false };
  }

  /**
   * Creates a session. The protocol has no working directory: the agent works in the folder in which it was started.
   */
  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<DraftSession> {
    const connection = await this.connect();
    const created = await connection.callIfKeepsThreads('createThread', null, signal);
    return this.openSession(connection, created?.threadId ?? (await this.threads.createThread()), options, []);
  }

  async listSessions({ signal }: { signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const connection = await this.connect();
    const listed = await connection.callIfKeepsThreads('getThreads', null, signal);
    const threads = listed?.threads ?? (await this.threads.getThreads()).filter(({ id }) => this.threads.has(id));
    return threads.map(({ id, title, modifiedAt }) => ({ id, title, updatedAt: modifiedAt }));
  }

  async loadSession(threadId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<DraftSession> {
    const open = this.sessions.get(threadId);
    if (open) return open;
    const connection = await this.connect();
    await connection.callIfKeepsThreads('openThread', { threadId }, signal);
    const loaded = await connection.callIfKeepsThreads('getThreadEntries', { threadId }, signal);
    return this.openSession(connection, threadId, options, loaded?.entries ?? (await this.readKeptEntries(threadId)));
  }

  deleteSession(): Promise<void> {
    return Promise.reject(new BackendError('unsupported', 'Agents that use the draft protocol can’t delete threads.'));
  }

  get isOutdated(): boolean {
    return this.retirement !== undefined;
  }

  retire(): Promise<void> {
    return (this.retirement ??= disposeWhenIdle(this.sessions));
  }

  async stop(): Promise<void> {
    // An agent that is still starting can only be stopped after it has started.
    const connection = await this.pendingConnection?.catch(() => undefined);
    if (connection)
      this.dropConnection(connection, { kind: 'stopped' }, new BackendError('closed', `${this.title} was stopped.`));
    await this.runningAgents.stopAll();
  }

  dispose(): void {
    this.isDisposed = true;
    const { currentConnection } = this;
    if (currentConnection)
      this.dropConnection(
        currentConnection,
        { kind: 'stopped' },
        new BackendError('closed', `${this.title} was stopped.`),
      );
    this.runningAgents.killAll();
    this.stateEmitter.dispose();
  }

  private connect(): Promise<DraftAgentConnection> {
    this.pendingConnection ??= this.startConnection().catch((error: unknown) => {
      this.pendingConnection = undefined;
      this.setState({ kind: 'failed', message: messageOf(error) });
      if (isBackendError(error)) throw error;
      throw new BackendError('notReady', messageOf(error), undefined, { cause: error });
    });
    return this.pendingConnection;
  }

  private async startConnection(): Promise<DraftAgentConnection> {
    const { startAgent, title } = this.deps;
    this.setState({ kind: 'starting', message: `Starting ${title}…` });
    const agent = await startAgent();
    if (this.isDisposed) {
      agent.killNow();
      throw new Error(`${title} was stopped.`);
    }
    const handlerPorts = { threads: this.createThreadApi(), permissions: this.createFilePermissions() };
    const connection = new DraftAgentConnection(agent, { ...this.deps, ...handlerPorts });
    this.currentConnection = connection;
    this.runningAgents.add(connection);
    connection.start((reason) => {
      const { message, details } = reason;
      this.dropConnection(connection, { kind: 'failed', message, ...withoutUndefined({ details }) }, reason);
      void this.runningAgents.stop(connection);
    });
    this.setState({ kind: 'ready' });
    return connection;
  }

  private dropConnection(connection: DraftAgentConnection, state: BackendState, reason: BackendError): void {
    if (this.currentConnection !== connection) return;
    this.currentConnection = undefined;
    this.pendingConnection = undefined;
    for (const session of [...this.sessions.values()]) session.fail(reason);
    this.setState(state);
  }

  private setState(state: BackendState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }

  private openSession(
    connection: DraftAgentConnection,
    threadId: string,
    { approvalTimeoutMs, cwd }: CreateSessionOptions,
    history: readonly ThreadEntry[],
  ): DraftSession {
    const { clock, createId, editor, id, log, standing, title, writeObserver } = this.deps;
    const writes = new ObservedWrites(writeObserver, { backendId: id, sessionId: threadId });
    const files = withObservedWrites(editor, writes);
    this.threads.add(threadId, history);
    const engine = new SessionEngine({
      ...{ id: threadId, clock, log, approvalTimeoutMs, redactor: this.deps.redactor },
      yieldToOthers: () => setImmediate(),
      onSilence: () => session.endUnpromptedTurn('end_turn'),
    });
    const { approvals, turns } = engine;
    const stopSignal = () => (turns.state.isStopped ? AbortSignal.abort() : turns.signal);
    const modeName = (): undefined => undefined;
    const permissions = new PermissionService({
      agentId: id,
      agentTitle: title,
      cwd,
      approvals,
      standing,
      log,
      modeName: modeName,
      stopSignal,
    });
    this.permissionsByThread.set(threadId, permissions);
    const protectionOf: EditorPort['protectionOf'] = (...asked) => editor.protectionOf(...asked);
    const session: DraftSession = new DraftSession({
      id: threadId,
      engine,
      clock,
      createRequestId: createId,
      answerEndsWith: connection.keepsThreads ? 'result' : 'message',
      send: async (text) => {
        const message: Message = { role: 'user', chunks: [{ type: 'text', chunk: text }] };
        await this.threads.sendMessage(threadId, message);
        await connection.sendPrompt(threadId, message);
      },
      onDidClose: () => {
        this.sessions.delete(threadId);
        this.permissionsByThread.delete(threadId);
        permissions.dispose();
      },
      proposals: new ProposalReviewer({
        sessionId: threadId,
        agentId: id,
        cwd,
        editor: files,
        protectionOf,
        permissions,
        emit: (event) => engine.report([event]),
      }),
    });
    this.sessions.set(threadId, session);
    session.start(history);
    return session;
  }

  /** Without an open session, a request for a file is granted only if it needs no approval. */
  private createFilePermissions(): DraftFilePermissions {
    const { id, permissionsByThread } = this;
    const { standing } = this.deps;
    return {
      isDenied: (kind, path) => {
        const request = createFileRequest(id, kind, ...(path === undefined ? [] : [path]));
        return decideFileAccess(standing, request) === 'deny';
      },
      mayRead: async (threadId, path, signal) => {
        const open = permissionsByThread.get(threadId);
        if (open) return await open.mayRead(path, signal);
        if (decideFileAccess(standing, createFileRequest(id, 'read', path)) === 'allow') return { isGranted: true };
        return { isGranted: false, reason: 'The user cannot be asked because this conversation is not open.' };
      },
    };
  }

  private async readKeptEntries(threadId: string): Promise<ThreadEntry[]> {
    try {
      return await this.threads.getThreadEntries(threadId);
    } catch (error) {
      throw new BackendError('notFound', messageOf(error), undefined, { cause: error });
    }
  }

  /** Returns the threads that the agent can access. Its messages to open threads also appear in their sessions. */
  private createThreadApi(): ThreadApi {
    const { threads, sessions } = this;
    return {
      getThreads: () => threads.getThreads(),
      createThread: () => threads.createThread(),
      openThread: (threadId) => threads.openThread(threadId),
      getThreadEntries: (threadId) => threads.getThreadEntries(threadId),
      async sendMessage(threadId: string, message: Message): Promise<void> {
        const session = message.role === 'assistant' ? sessions.get(threadId) : undefined;
        if (session?.receiveMessage(messageText(message)) !== false) await threads.sendMessage(threadId, message);
      },
      async streamMessageChunk(threadId: string, chunk: MessageChunk): Promise<void> {
        const session = sessions.get(threadId);
        if (session?.receiveChunk(chunk.chunk) !== false) await threads.streamMessageChunk(threadId, chunk);
      },
      didReadFile(threadId: string, path: string, content: string): void {
        sessions.get(threadId)?.didReadFile(path, content);
        threads.didReadFile(threadId, path, content);
      },
    };
  }
}
