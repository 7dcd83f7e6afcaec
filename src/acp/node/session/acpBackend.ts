import {
  BackendError,
  type BackendCapabilities,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type LoadSessionOptions,
  type SessionBackend,
  type SessionSummary,
  isBackendError,
} from '../../../session/common/sessionBackend';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import { KeyedQueue, withDeadline } from '../../../base/common/async';
import type { Event } from '../../../base/common/event';
import type { EditorPort } from '../../../editor/common/editorPort';
import { ObservedWrites, type WriteObserver } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import type { SessionSetupResult } from '../../common/session/agentMessages';
import type { LlmProvider, LlmProviderFacet, SignInFacet, SignInOverview, SignInWait } from '../../common/agentBackend';
import { restoreMethodOf } from '../../common/session/bindingState';
import type { SessionListResult } from '../../common/session/wireSchema';
import { AgentRequestRunner, type AgentRequestRunnerDeps } from '../connection/agentRequestRunner';
import { SessionToolCaller } from '../../common/sessionToolCaller';
import { listAllSessions } from '../connection/sessionListing';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import type { AgentClient } from '../connection/agentClient';
import type { WindowToolsOffer } from '../connection/windowToolsUse';
import type { ConnectedAgent } from '../connection/agentConnection';
import { AcpSession } from './acpSession';
import { StuckTurns } from './stuckTurns';

export interface AcpBackendDeps extends AgentRequestRunnerDeps {
  readonly id: string;
  readonly editor: EditorPort;
  readonly standing: StandingPermissions;
  readonly writeObserver?: WriteObserver;
  /** Removes the user's keys from streamed text. */
  readonly redactor?: SecretRedactor;
  readonly terminalEnv: Readonly<Record<string, string>>;
  /** Whether commands can run in a folder. By default, looks at the disk. */
  readonly isFolder?: (path: string) => Promise<boolean>;
}

/** How often one prompt waits for the user to sign in. */
const maxSignIns = 5;
/** Not in the stable part of ACP. */
const setTitleMethod = 'session/set_title';

/** A session backend for an ACP v1 agent: one process, any number of sessions. */
export class AcpBackend implements SessionBackend, SignInFacet, LlmProviderFacet {
  readonly id: string;
  readonly title: string;
  readonly holdsReadOnly = true;
  private readonly requestRunner: AgentRequestRunner;
  private readonly sessions = new Map<string, AcpSession>();
  /** Ids of copies that were not loaded yet. No conversation uses them, so `closeFork` may close them. */
  private readonly unloadedForks = new Set<string>();
  private readonly loadQueue = new KeyedQueue();
  private readonly stuckTurns: StuckTurns;
  private retirement: Promise<void> | undefined;

  constructor(private readonly deps: AcpBackendDeps) {
    this.id = deps.id;
    this.title = deps.title;
    this.requestRunner = new AgentRequestRunner(deps);
    this.stuckTurns = new StuckTurns(this.requestRunner);
  }

  get state(): BackendState {
    return this.requestRunner.signIn.state;
  }

  get onDidChangeState(): Event<BackendState> {
    return this.requestRunner.signIn.onDidChangeState;
  }

  get onDidSignIn(): Event<void> {
    return this.requestRunner.signIn.onDidSignIn;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    const { client } = await this.requestRunner.connection.connect(signal);
    const { delete: canDelete, embeddedContext, images, list: canList, load, resume } = client.abilities;
    const { systemPrompt, title } = client.abilities;
    return {
      canLoad: load || resume,
      canList,
      canDelete,
      images,
      embeddedContext,
      ...(systemPrompt ? { takesInstructions: true } : {}),
      ...(title ? { canSetTitle: true } : {}),
    };
  }

  /** Creates a session. If the agent requires sign-in and offers methods, waits until the user has signed in. */
  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.openSession(options, signal);
      } catch (error) {
        const canSignIn = this.requestRunner.signIn.methods.length > 0 && attempt < maxSignIns;
        if (!isBackendError(error) || error.code !== 'authRequired' || !canSignIn) throw error;
        await this.requestRunner.signIn.waitForSignIn(error.cause, signal);
      }
    }
  }

  /** Returns undefined while sign-in is required, or if the first start of the agent may download it. */
  async prepareSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession | undefined> {
    if (this.state.kind === 'authRequired' || this.requestRunner.connection.mayDownloadPackage) return undefined;
    return await this.openSession(options, signal);
  }

  /** The copy stays open until it is loaded or closed, because an agent may not store a session without a prompt. */
  async forkSession(
    sessionId: string,
    options: CreateSessionOptions,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { abilities } = (await this.requestRunner.connection.connect(signal)).client;
    if (!abilities.fork || !restoreMethodOf(abilities, 'unknown')) return undefined;
    const { id } = await this.openSession(options, signal, sessionId);
    this.unloadedForks.add(id);
    return id;
  }

  async closeFork(sessionId: string): Promise<void> {
    if (this.unloadedForks.delete(sessionId)) await this.findOpenSession(sessionId)?.close();
  }

  private async openSession(
    options: CreateSessionOptions,
    signal?: AbortSignal,
    sourceId?: string,
  ): Promise<AcpSession> {
    const { connection, users, windowTools } = this.requestRunner;
    const open = (live: ConnectedAgent, offer: WindowToolsOffer): Promise<AcpSession> =>
      this.requestNewSession(live, offer, options, signal, sourceId);
    if (sourceId === undefined) return this.withNotice(await this.requestRunner.openSession(open, signal));
    return await users.during(async () => {
      const live = await connection.connect(signal);
      return await open(live, windowTools.offerFor(live.agent.agentInfo?.version));
    });
  }

  private withNotice({ notice, opened }: { readonly opened: AcpSession; readonly notice?: string }): AcpSession {
    if (notice !== undefined) opened.notify('warning', notice);
    return opened;
  }

  private async requestNewSession(
    live: ConnectedAgent,
    offer: WindowToolsOffer,
    options: CreateSessionOptions,
    signal: AbortSignal | undefined,
    sourceId: string | undefined,
  ): Promise<AcpSession> {
    const toolCaller = new SessionToolCaller();
    try {
      const params = await this.requestRunner.sessionParamsFor(live, options, toolCaller, offer);
      const method = sourceId === undefined ? 'session/new' : 'session/fork';
      const createPeer = (sessionId: string, setup: SessionSetupResult): AcpSession => {
        const created = this.buildSession(sessionId, options, toolCaller, live.client);
        created.applySetup(setup);
        return created;
      };
      const session = await this.requestRunner.request(method, signal, (requestSignal) =>
        live.client.newSession(params, createPeer, requestSignal, sourceId),
      );
      this.sessions.set(session.id, session);
      this.requestRunner.signIn.recordAccepted('session');
      return session;
    } catch (error) {
      toolCaller.end();
      throw error;
    }
  }

  async listSessions({ cwd, signal }: { cwd?: string; signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const { client } = await this.requestRunner.connection.connect(signal);
    if (!client.abilities.list) throw this.unsupportedError('list its conversations');
    const folder = cwd === undefined ? undefined : (this.deps.sessionFolder ?? cwd);
    const { requestRunner } = this;
    const requestPage = (params: { cwd?: string; cursor?: string }): Promise<SessionListResult> =>
      requestRunner.request('session/list', signal, (requestSignal) => client.listSessions(params, requestSignal));
    const patienceMs = requestRunner.limits.cancelGraceMs;
    return await requestRunner.users.during(() => listAllSessions(folder, requestPage), { patienceMs });
  }

  async loadSession(sessionId: string, options: LoadSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    // Concurrent calls for the same session share one load.
    const loaded = this.loadQueue.run(sessionId, () => this.connectAndLoad(sessionId, options, signal));
    return await rejectOnAbort(loaded, signal);
  }

  private async connectAndLoad(
    sessionId: string,
    options: LoadSessionOptions,
    signal?: AbortSignal,
  ): Promise<AcpSession> {
    this.unloadedForks.delete(sessionId);
    const open = this.findOpenSession(sessionId);
    if (open) return open;
    let session: AcpSession | undefined;
    const load = (live: ConnectedAgent, offer: WindowToolsOffer): Promise<AcpSession> =>
      this.requestLoad(live, offer, sessionId, options, signal, (built) => (session = built));
    const mayTryAgain = (): boolean => (session?.updateCount ?? 0) === 0;
    return this.withNotice(await this.requestRunner.openSession(load, signal, mayTryAgain));
  }

  private async requestLoad(
    live: ConnectedAgent,
    offer: WindowToolsOffer,
    sessionId: string,
    options: LoadSessionOptions,
    signal: AbortSignal | undefined,
    onBuilt: (session: AcpSession) => void,
  ): Promise<AcpSession> {
    const method = restoreMethodOf(live.client.abilities, 'unknown');
    if (!method) throw this.unsupportedError('resume conversations');
    if (!(await this.requestRunner.mayRestore(sessionId, options.cwd, signal)))
      throw new BackendError('unsupported', `${this.title} was not asked for this conversation.`);
    const session = this.buildSession(sessionId, options, new SessionToolCaller());
    onBuilt(session);
    options.onLoading?.(session);
    try {
      const send = (deadline: AbortSignal): Promise<void> => session.load(live, offer, method, deadline);
      // The answer comes behind the history, which may take long, also because it is held back while it is stored.
      const progress = (): unknown => session.updateCount;
      await this.requestRunner.request('session/load', signal, send, undefined, progress);
    } catch (error) {
      session.dispose();
      throw error;
    }
    this.sessions.set(session.id, session);
    return session;
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { client } = await this.requestRunner.connection.connect();
    if (!client.abilities.delete) throw this.unsupportedError('delete conversations');
    const remove = async (): Promise<void> => {
      await this.findOpenSession(sessionId)?.close();
      await this.requestRunner.request('session/delete', undefined, (signal) =>
        client.deleteSession(sessionId, signal),
      );
    };
    await this.requestRunner.users.during(remove, { patienceMs: this.requestRunner.limits.cancelGraceMs });
  }

  async setSessionTitle(sessionId: string, title: string): Promise<void> {
    const { client } = await this.requestRunner.connection.connect();
    if (!client.abilities.title) throw this.unsupportedError('rename conversations');
    await this.requestRunner.request(setTitleMethod, undefined, (signal) =>
      client.send(setTitleMethod, { sessionId, title }, signal),
    );
  }

  /** Signs in, checks that with a new session, then resumes waiting prompts. @throws BackendError */
  authenticate(methodId: string, signal?: AbortSignal, onWaiting?: (wait: SignInWait) => void): Promise<void> {
    return this.requestRunner.signIn.authenticate(methodId, signal, onWaiting);
  }

  async signInMethods(signal: AbortSignal): Promise<SignInOverview> {
    const { connection, signIn } = this.requestRunner;
    const { client } = await connection.connect(signal);
    const isSignedIn = await signIn.isSignedIn(signal);
    const { accounts, methods } = signIn;
    const names = accounts.length > 0 ? { accounts } : {};
    return { isSignedIn, methods, ...names, canSignOut: client.abilities.logout };
  }

  async signOut(signal?: AbortSignal): Promise<boolean> {
    const { connection, signIn } = this.requestRunner;
    const { client } = await connection.connect(signal);
    if (!client.abilities.logout) return false;
    await signIn.signOut(signal);
    return true;
  }

  get hasLlmProviders(): boolean {
    return this.requestRunner.connection.connectedAgent?.client.abilities.providers === true;
  }

  async llmProviders(signal: AbortSignal): Promise<readonly LlmProvider[] | undefined> {
    const { client } = await this.requestRunner.connection.connect(signal);
    if (!client.abilities.providers) return undefined;
    return await this.requestRunner.request('providers/list', signal, (deadline) => client.providers.list(deadline));
  }

  forgetFailures(): void {
    this.requestRunner.windowTools.forget();
    this.requestRunner.connection.forgetCrashes();
  }

  get isOutdated(): boolean {
    return this.retirement !== undefined;
  }

  retire(): Promise<void> {
    return (this.retirement ??= this.completeWork());
  }

  async stop(): Promise<void> {
    const interrupted = Promise.all([...this.sessions.values()].map(async (session) => await session.interrupt()));
    const { interruptGraceMs } = this.requestRunner.limits;
    await withDeadline(this.deps.clock, 'ending turns', interruptGraceMs, () => interrupted).catch(() => undefined);
    const stopped = this.requestRunner.stop(`${this.title} was stopped.`);
    await Promise.all([stopped, ...[...this.sessions.values()].map(({ terminals }) => terminals.endAll())]);
  }

  dispose(): void {
    for (const session of [...this.sessions.values()]) session.dispose();
    this.requestRunner.dispose();
  }

  /** Ends each session as soon as it has nothing to do. Resolves when nobody needs the process. */
  private async completeWork(): Promise<void> {
    const { signIn, users } = this.requestRunner;
    signIn.endWaits(`The settings of ${this.title} have changed. Send the prompt again.`);
    for (;;) {
      const changed = Promise.withResolvers<undefined>();
      const subscriptions = [users, { onDidChange: signIn.onDidChangeState }].map(({ onDidChange }) =>
        onDidChange(() => changed.resolve(undefined)),
      );
      // Sessions that end may still tell the agent.
      for (const session of [...this.sessions.values()])
        if (session.turn === 'none' && !session.isWorking) session.dispose();
      const isInUse = this.sessions.size > 0 || users.isInUse() || signIn.isPerforming;
      if (isInUse) await changed.promise;
      for (const subscription of subscriptions) subscription.dispose();
      if (!isInUse) return;
    }
  }

  private buildSession(
    sessionId: string,
    folders: CreateSessionOptions,
    toolCaller: SessionToolCaller,
    client?: AgentClient,
  ): AcpSession {
    const { terminalEnv: env, writeObserver } = this.deps;
    const { requestRunner: agent, stuckTurns } = this;
    const writes = new ObservedWrites(writeObserver, { backendId: this.id, sessionId });
    const onDidEnd = (): void => void this.sessions.delete(sessionId);
    const shared = { ...this.deps, agentId: this.id, agent, stuckTurns };
    const options = { ...shared, writes, toolCaller, env, onDidEnd };
    return new AcpSession(sessionId, folders, options, client);
  }

  private findOpenSession(sessionId: string): AcpSession | undefined {
    const all = [...this.sessions.values()];
    return all.find(({ agentSessionId }) => agentSessionId === sessionId) ?? this.sessions.get(sessionId);
  }

  private unsupportedError(action: string): BackendError {
    return new BackendError('unsupported', `${this.title} cannot ${action}.`);
  }
}
