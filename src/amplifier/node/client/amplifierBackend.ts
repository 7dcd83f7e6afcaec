import { withDeadline } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { isMissingRouteError, isAmplifierApiError } from '../../common/api/apiErrors';
import { isRealServer, type CreateSessionRequest, type Credentials, type ServerInfo } from '../../common/api/apiSchema';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendCapabilities,
  type BackendState,
  type CreateSessionOptions,
  type LoadSessionOptions,
  type SessionBackend,
  type ProfileAndModel,
  type SessionSummary,
} from '../../../session/common/sessionBackend';
import { disposeWhenIdle } from '../../../session/common/generations/disposeWhenIdle';
import { cancelledError, rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { isLoopback } from '../../../base/common/addresses/loopback';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { toRfc3339 } from '../../common/api/wireTime';
import type { AmplifierClient } from './http/amplifierClient';
import { AmplifierSession } from './amplifierSession';
import { ProfileChoice } from './profileChoice';

import type { AmplifierSessionDeps, PendingDenials } from './sessionDeps';

export interface AmplifierBackendDeps extends Pick<
  AmplifierSessionDeps,
  'client' | 'clock' | 'context' | 'limits' | 'log' | 'random'
> {
  readonly id: string;
  readonly title: string;
  /** Returns the key for this server. Undefined if no key is stored or it may not be sent to this server. */
  readonly credentials: (server: URL) => Promise<Credentials | undefined>;
  /** Returns why the stored key is not sent to this server, and what to do. Undefined if there is no problem. */
  readonly keyProblem?: (server: URL) => Promise<string | undefined>;
  /** Returns the default profile in the settings. Empty for the server's own default. */
  readonly profile?: () => string;
}

const capabilities: BackendCapabilities = {
  canLoad: true,
  canList: true,
  canDelete: true,
  images: false,
  embeddedContext: true,
};
const openTimeoutMs = 30_000;
const maxSessions = 50;
/** Maximum time for sending the last denials. On shutdown, Backline has three seconds in total. */
const stopTimeoutMs = 2000;
/** Maximum time for ending a session that was created but cannot be used. */
const discardTimeoutMs = 5000;

/** A backend for one Amplifier server, which it does not start. Owns its client. */
export class AmplifierBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly client: AmplifierClient;
  private readonly emitter = new Emitter<BackendState>((error) => this.deps.log.error('a listener failed', error));
  readonly onDidChangeState = this.emitter.event;
  private readonly sessions = new Set<AmplifierSession>();
  /** Sessions that have lost their connection and are connecting again. */
  private readonly reconnectingSessions = new Set<AmplifierSession>();
  /** Denials that closed sessions are still sending, because their approvals may be pending on the server. */
  private readonly pendingDenials = new Set<PendingDenials>();
  /** Sessions that are being created, or deleted because they cannot be used. */
  private readonly pendingCreations = new Set<Promise<void>>();
  private creationsAbort = new AbortController();
  private currentState: BackendState = { kind: 'stopped' };
  private serverInfo: ServerInfo | undefined;
  private retirement: Promise<void> | undefined;
  private readonly profileChoice: ProfileChoice;

  constructor(private readonly deps: AmplifierBackendDeps) {
    this.id = deps.id;
    this.title = deps.title;
    this.client = deps.client;
    const { client, log, profile = () => '' } = deps;
    this.profileChoice = new ProfileChoice({ client, configured: profile, log });
  }

  get state(): BackendState {
    return this.currentState;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    if (this.currentState.kind !== 'ready') await this.connect(signal);
    return capabilities;
  }

  /** Rejects at once when cancelled, retired or stopped. A session that is created nevertheless is deleted. @throws BackendError */
  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<AmplifierSession> {
    if (this.isOutdated) throw new BackendError('notReady', `The settings of ${this.title} have changed. Try again.`);
    const { signal: ending } = this.creationsAbort;
    const live = signal ? AbortSignal.any([signal, ending]) : ending;
    const creating = this.createAndOpen(options, live);
    const settled = creating.then(
      () => undefined,
      () => undefined,
    );
    this.pendingCreations.add(settled);
    void settled.then(() => this.pendingCreations.delete(settled));
    return await rejectOnAbort(creating, live);
  }

  /** Returns the option for the profile. If the server lists models, also returns the option for the model. */
  async sessionOptions(chosen: ProfileAndModel, signal?: AbortSignal): Promise<readonly ConfigOption[]> {
    await this.connect(signal);
    return await this.callServer(() => this.profileChoice.listOptions(chosen, this.serverInfo, signal));
  }

  async listSessions(options: { signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const list = await this.callServer(() => this.client.listSessions(maxSessions, options.signal));
    const summaries = list.sessions.map(({ session_id: id, profile, created_at }): SessionSummary => {
      const title = profile === undefined ? undefined : `Session with ${profile}`;
      return { id, ...withoutUndefined({ title, updatedAt: toRfc3339(created_at) }) };
    });
    return summaries.sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''));
  }

  /** Loads a session. If possible, skips past events, because the stored transcript already contains them. */
  async loadSession(
    sessionId: string,
    { receivedTurnText }: LoadSessionOptions,
    signal?: AbortSignal,
  ): Promise<AmplifierSession> {
    await this.connect(signal);
    await this.redactStoredKey();
    const askedAtMs = this.deps.clock.now();
    const status = await this.callServer(() => this.client.getSession(sessionId, signal));
    return this.openSession(sessionId, {
      receivedTurnText,
      signal,
      prepare: (session) => session.resume(status, askedAtMs),
    });
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.callServer(() => this.client.deleteSession(sessionId));
  }

  get isOutdated(): boolean {
    return this.retirement !== undefined;
  }

  retire(): Promise<void> {
    return (this.retirement ??= this.completeWork());
  }

  async stop(): Promise<void> {
    this.endCreations();
    for (const session of [...this.sessions]) session.dispose();
    const denials = [...this.pendingDenials];
    await withDeadline(this.deps.clock, 'Denying pending approvals', stopTimeoutMs, () =>
      Promise.all([...denials.map((denial) => denial.whenSettled()), ...this.pendingCreations]),
    ).catch((error: unknown) => this.deps.log.warn(messageOf(error)));
    for (const denial of denials) denial.dispose();
    this.setState({ kind: 'stopped' });
  }

  dispose(): void {
    const stopped = this.stop();
    this.emitter.dispose();
    void stopped.finally(() => this.client.dispose());
  }

  private async completeWork(): Promise<void> {
    this.endCreations();
    await Promise.all([disposeWhenIdle(this.sessions), ...this.pendingCreations]);
  }

  private endCreations(): void {
    this.creationsAbort.abort();
    this.creationsAbort = new AbortController();
  }

  private showReconnecting(): void {
    const message = `The connection to ${this.client.baseUrl.origin} was lost. Reconnecting…`;
    const { currentState: state } = this;
    if (state.kind !== 'failed' || state.message !== message) this.setState({ kind: 'failed', message });
  }

  /** Checks that the server is available. @throws BackendError if the server is not available */
  private async connect(signal?: AbortSignal): Promise<void> {
    if (this.currentState.kind !== 'ready') {
      this.setState({ kind: 'starting', message: `Connecting to the server at ${this.client.baseUrl.origin}…` });
    }
    const { version } = await this.callServer(() => this.client.health(signal));
    this.serverInfo ??= await this.client.info(signal).catch((error: unknown) => {
      if (!isMissingRouteError(error)) this.deps.log.debug('the server info is unavailable');
      return undefined;
    });
    this.setState({ kind: 'ready', ...withoutUndefined({ version }) });
  }

  /** Does not settle before a session that cannot be used is deleted. */
  private async createAndOpen(options: CreateSessionOptions, signal: AbortSignal): Promise<AmplifierSession> {
    await this.connect(signal);
    const { context, credentials } = this.deps;
    const profile = options.profile ?? this.profileChoice.defaultProfile(this.serverInfo);
    const request: CreateSessionRequest = {
      profile,
      credentials: (await credentials(this.client.baseUrl)) ?? {},
      context: await context.collect(options.cwd),
    };
    if (options.model !== undefined) request.model = options.model;
    if (signal.aborted) throw cancelledError();
    // Without the signal: the server would create the session nevertheless, and nobody would know its id.
    const created = this.callServer(() => this.client.createSession(request));
    const { session_id: id } = await created.catch(async (error: unknown) => {
      throw await this.profileChoice.explainError(error, profile);
    });
    this.profileChoice.clearProblem(profile);
    try {
      const problem = await this.deps.keyProblem?.(this.client.baseUrl);
      const session = await this.openSession(id, { cwd: options.cwd, signal, prepare: (made) => made.markCreated() });
      if (problem !== undefined) session.emitNotice('warning', problem);
      return session;
    } catch (error) {
      await this.discardSession(id);
      throw error;
    }
  }

  private async openSession(id: string, openOptions: OpenOptions): Promise<AmplifierSession> {
    const { cwd, receivedTurnText = '', signal, prepare } = openOptions;
    const session: AmplifierSession = new AmplifierSession({
      ...this.deps,
      id,
      receivedTurnText,
      usageIsCumulative: this.serverInfo !== undefined && isRealServer(this.serverInfo),
      ...withoutUndefined({ cwd }),
      onConnected: () => {
        this.reconnectingSessions.delete(session);
        if (this.currentState.kind === 'failed') this.setState({ kind: 'ready' });
      },
      onReconnecting: () => {
        this.reconnectingSessions.add(session);
        const { kind } = this.currentState;
        if (kind === 'ready' || kind === 'failed') this.showReconnecting();
      },
      onEnded: (denials) => this.removeSession(session, denials),
    });
    this.sessions.add(session);
    prepare(session);
    const disposeSession = (): void => session.dispose();
    signal?.addEventListener('abort', disposeSession, { once: true });
    try {
      if (signal?.aborted) disposeSession();
      else
        await withDeadline(this.deps.clock, 'Opening the stream of events', openTimeoutMs, () => session.openStream());
    } catch (error) {
      session.dispose();
      if (error instanceof TimeoutError) throw streamTimeout(error);
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', disposeSession);
    }
    if (signal?.aborted) throw cancelledError();
    return session;
  }

  /**
   * Makes sure that responses do not contain the stored key, because a local server may repeat a key from an earlier
   * request. Not for remote servers, because the user would have to confirm them.
   */
  private async redactStoredKey(): Promise<void> {
    const { baseUrl, redactor } = this.client;
    if (isLoopback(baseUrl)) redactor.addSecret((await this.deps.credentials(baseUrl))?.anthropic_api_key);
  }

  /** Deletes a session that cannot be used. Never rejects. */
  private async discardSession(id: string): Promise<void> {
    const { clock, log } = this.deps;
    await withDeadline(clock, 'Ending the session', discardTimeoutMs, (signal) =>
      this.client.deleteSession(id, signal),
    ).catch((error: unknown) => log.warn(`session ${id} stays on the server: ${messageOf(error)}`));
  }

  private removeSession(session: AmplifierSession, denials: PendingDenials): void {
    this.sessions.delete(session);
    const wasReconnecting = this.reconnectingSessions.delete(session);
    this.pendingDenials.add(denials);
    void denials.whenSettled().then(() => this.pendingDenials.delete(denials));
    if (this.currentState.kind !== 'failed') return;
    // If there are no sessions, an earlier failure no longer matters.
    if (this.sessions.size === 0) this.setState({ kind: 'stopped' });
    else if (wasReconnecting && this.reconnectingSessions.size === 0) this.setState({ kind: 'ready' });
  }

  private async callServer<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!isAmplifierApiError(error)) throw error;
      const failure = error.toBackendError();
      const { message } = failure;
      if (error.code === 'UNAUTHORIZED') this.setState({ kind: 'authRequired', message, methods: [] });
      // A failed or cancelled request must not hide that sessions are connecting again.
      else if (error.httpStatus === undefined && this.reconnectingSessions.size > 0) this.showReconnecting();
      else if (error.code === 'CANCELLED') this.setStateIfStarting({ kind: 'stopped' });
      else if (error.httpStatus === undefined) this.setState({ kind: 'failed', message });
      else this.setStateIfStarting({ kind: 'failed', message });
      throw failure;
    }
  }

  /** Sets the state if the request that failed or was cancelled was part of connecting. */
  private setStateIfStarting(state: BackendState): void {
    if (this.currentState.kind === 'starting') this.setState(state);
  }

  private setState(state: BackendState): void {
    this.currentState = state;
    this.emitter.fire(state);
  }
}

interface OpenOptions {
  /** Working directory of a new session, as an absolute path. */
  readonly cwd?: string;
  readonly receivedTurnText?: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly prepare: (session: AmplifierSession) => void;
}

function streamTimeout(cause: TimeoutError): BackendError {
  const message = 'The server did not open the event stream of the session. Restart the server.';
  return new BackendError('timeout', message, undefined, { cause });
}
