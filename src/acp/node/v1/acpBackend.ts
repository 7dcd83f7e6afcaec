import {
  BackendError,
  type BackendCapabilities,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
  type SessionSummary,
  isBackendError,
} from '../../../session/common/sessionBackend';
import { KeyedQueue } from '../../../base/common/async';
import type { Event } from '../../../base/common/event';
import type { EditorPort } from '../../../editor/common/editorPort';
import { withWriteObserver, type WriteObserver } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { wayBack } from '../../common/v1/attachment';
import { AgentAccess, type AgentAccessOptions } from './agentAccess';
import { allSessions } from './sessionListing';
import { untilAborted } from '../../../session/common/untilAborted';
import type { V1Client } from './v1Client';
import { V1Session } from './v1Session';

export interface AcpBackendOptions extends AgentAccessOptions {
  readonly id: string;
  readonly editor: EditorPort;
  readonly standing: StandingPermissions;
  readonly writeObserver?: WriteObserver;
  /** Base environment of the agent's terminals. */
  readonly terminalEnv: Readonly<Record<string, string>>;
}

/** A session backend for an ACP v1 agent: one process, any number of sessions. */
export class AcpBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly agent: AgentAccess;
  private readonly sessions = new Map<string, V1Session>();
  private readonly loads = new KeyedQueue();

  constructor(private readonly options: AcpBackendOptions) {
    this.id = options.id;
    this.title = options.title;
    this.agent = new AgentAccess(options);
  }

  get state(): BackendState {
    return this.agent.connection.state;
  }

  get onDidChangeState(): Event<BackendState> {
    return this.agent.connection.onDidChangeState;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    const { client } = await this.agent.connection.connect(signal);
    const { loadSession, promptCapabilities, sessionCapabilities } = client.capabilities;
    return {
      canLoad: loadSession === true || sessionCapabilities?.resume === true,
      canList: sessionCapabilities?.list === true,
      canDelete: sessionCapabilities?.delete === true,
      images: promptCapabilities?.image === true,
      embeddedContext: promptCapabilities?.embeddedContext === true,
    };
  }

  /** If the agent requires sign-in and offers methods, waits until the user has signed in. */
  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    try {
      return await this.openSession(options, signal);
    } catch (error) {
      const { state } = this;
      const canSignIn = state.kind === 'authRequired' && state.methods.length > 0;
      if (!isBackendError(error) || error.code !== 'authRequired' || !canSignIn) throw error;
      await this.agent.signIn.wait(error.cause, signal);
    }
    return this.openSession(options, signal);
  }

  /** Returns undefined while sign-in is required, or if the first start may download the agent. */
  async prepareSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession | undefined> {
    if (this.state.kind === 'authRequired' || this.agent.connection.mayDownload) return undefined;
    return await this.openSession(options, signal);
  }

  private async openSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    const live = await this.agent.connection.connect(signal);
    const params = await this.agent.sessionParams(live, options);
    const session = await this.agent.ask('session/new', signal, (requestSignal) =>
      live.client.newSession(
        params,
        (sessionId, setup) => {
          const created = this.newSession(sessionId, options, live.client);
          created.setUp(setup);
          return created;
        },
        requestSignal,
      ),
    );
    this.sessions.set(session.id, session);
    return session;
  }

  async listSessions({ cwd, signal }: { cwd?: string; signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const { client } = await this.agent.connection.connect(signal);
    if (!client.capabilities.sessionCapabilities?.list) throw this.unsupported('tell which conversations it remembers');
    return allSessions(cwd, (params) =>
      this.agent.ask('session/list', signal, (requestSignal) => client.listSessions(params, requestSignal)),
    );
  }

  async loadSession(sessionId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    // Concurrent calls for the same session share one load.
    const loaded = this.loads.run(sessionId, () => this.loadOnce(sessionId, options, signal));
    return await untilAborted(loaded, signal);
  }

  private async loadOnce(sessionId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<V1Session> {
    const open = this.openOne(sessionId);
    if (open) return open;
    const live = await this.agent.connection.connect(signal);
    const how = wayBack(live.client.capabilities, 'unknown');
    if (!how) throw this.unsupported('take up a conversation again');
    const session = this.newSession(sessionId, options);
    try {
      await this.agent.ask('session/load', signal, (deadline) => session.load(live, how, deadline));
    } catch (error) {
      session.dispose();
      throw error;
    }
    this.sessions.set(session.id, session);
    return session;
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { client } = await this.agent.connection.connect();
    if (!client.capabilities.sessionCapabilities?.delete) throw this.unsupported('delete conversations');
    await this.openOne(sessionId)?.close();
    await this.agent.ask('session/delete', undefined, (signal) => client.deleteSession(sessionId, signal));
  }

  /** Signs in by one of the methods of state `authRequired`, then resumes waiting prompts. @throws BackendError */
  authenticate(methodId: string): Promise<void> {
    return this.agent.signIn.authenticate(methodId);
  }

  async stop(): Promise<void> {
    const stopped = this.agent.stop(`${this.title} was stopped.`);
    await Promise.all([stopped, ...[...this.sessions.values()].map(({ terminals }) => terminals.endAll())]);
  }

  dispose(): void {
    for (const session of [...this.sessions.values()]) session.dispose();
    this.agent.dispose();
  }

  private newSession(sessionId: string, folders: CreateSessionOptions, client?: V1Client): V1Session {
    const { editor, terminalEnv: env, writeObserver } = this.options;
    const writer = { backendId: this.id, sessionId };
    const files = writeObserver ? withWriteObserver(editor, writeObserver, writer) : editor;
    const onDidEnd = (): void => void this.sessions.delete(sessionId);
    const options = { ...this.options, agentId: this.id, agent: this.agent, files, env, onDidEnd };
    return new V1Session(sessionId, folders, options, client);
  }

  /** Finds an open session by the agent's id, else by ours. */
  private openOne(sessionId: string): V1Session | undefined {
    const all = [...this.sessions.values()];
    return all.find(({ agentSessionId }) => agentSessionId === sessionId) ?? this.sessions.get(sessionId);
  }

  private unsupported(what: string): BackendError {
    return new BackendError('unsupported', `${this.title} cannot ${what}.`);
  }
}
