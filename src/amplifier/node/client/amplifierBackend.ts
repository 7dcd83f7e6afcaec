import { withDeadline, type Clock } from '../../../base/common/async';
import { Emitter, type Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { TimeoutError } from '../../../base/common/errors';
import { AmplifierApiError, isMissingRoute } from '../../common/apiErrors';
import type { CreateSessionRequest, Credentials, ServerInfo } from '../../common/apiSchema';
import type { ContextSource } from '../../common/contextSource';
import {
  BackendError,
  type BackendCapabilities,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
  type SessionSummary,
} from '../../common/sessionBackend';
import { toRfc3339 } from '../../common/wireTime';
import type { AmplifierClient } from './amplifierClient';
import { AmplifierSession } from './amplifierSession';
import type { SessionLimits } from './sessionLimits';

export interface AmplifierBackendOptions {
  readonly id: string;
  readonly title: string;
  /** Owned by the backend from now on. */
  readonly client: AmplifierClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly context: ContextSource;
  /** What may be sent to this server; undefined when nothing may or there is nothing. */
  readonly credentials: (server: URL) => Promise<Credentials | undefined>;
  /** For sessions that name none; default `dev`. */
  readonly defaultProfile?: string;
  readonly limits?: Partial<SessionLimits>;
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

/** The sessions of one Amplifier server. It starts no server: it says when none answers. */
export class AmplifierBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly client: AmplifierClient;
  private readonly emitter: Emitter<BackendState>;
  private readonly sessions = new Set<AmplifierSession>();
  private current: BackendState = { kind: 'stopped' };
  private info: ServerInfo | undefined;

  constructor(private readonly options: AmplifierBackendOptions) {
    this.id = options.id;
    this.title = options.title;
    this.client = options.client;
    this.emitter = new Emitter((error) => options.log.error('a listener failed', error));
  }

  get state(): BackendState {
    return this.current;
  }

  get onDidChangeState(): Event<BackendState> {
    return this.emitter.event;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    if (this.current.kind !== 'ready') await this.connect(signal);
    return capabilities;
  }

  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<AmplifierSession> {
    await this.connect(signal);
    const { context, credentials, defaultProfile = 'dev' } = this.options;
    const toldContext = { ...(await context.collect()), workspace_root: options.cwd };
    const request: CreateSessionRequest = {
      profile: options.profile ?? defaultProfile,
      credentials: (await credentials(this.client.baseUrl)) ?? {},
      context: toldContext,
    };
    if (options.model !== undefined) request.model = options.model;
    const { session_id: id } = await this.ask(() => this.client.createSession(request, signal));
    return this.open(id, toldContext);
  }

  async listSessions(options: { signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const list = await this.ask(() => this.client.listSessions({ limit: maxSessions, ...options }));
    const summaries = list.sessions.map(({ session_id: id, profile, created_at }): SessionSummary => {
      const updatedAt = toRfc3339(created_at);
      return {
        id,
        ...(profile === undefined ? {} : { title: `Session with ${profile}` }),
        ...(updatedAt === undefined ? {} : { updatedAt }),
      };
    });
    return summaries.sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''));
  }

  /** The server tells no history: what was said before is in the stored transcript only. */
  async loadSession(
    sessionId: string,
    _options: CreateSessionOptions,
    signal?: AbortSignal,
  ): Promise<AmplifierSession> {
    await this.connect(signal);
    const status = await this.ask(() => this.client.getSession(sessionId, signal));
    const session = await this.open(sessionId);
    if (status.token_usage) session.setUsageSoFar(status.token_usage);
    return session;
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.ask(() => this.client.deleteSession(sessionId));
  }

  stop(): Promise<void> {
    for (const session of [...this.sessions]) session.dispose();
    this.setState({ kind: 'stopped' });
    return Promise.resolve();
  }

  dispose(): void {
    for (const session of [...this.sessions]) session.dispose();
    this.emitter.dispose();
    this.client.dispose();
  }

  /** @throws BackendError when no server answers, or it is not well */
  private async connect(signal?: AbortSignal): Promise<void> {
    if (this.current.kind !== 'ready') {
      this.setState({ kind: 'starting', message: `Asking the Amplifier server at ${this.client.baseUrl.origin}…` });
    }
    const { version } = await this.ask(() => this.client.health(signal));
    this.info ??= await this.client.info(signal).catch((error: unknown) => {
      if (!isMissingRoute(error)) this.options.log.debug('the server does not say what it is');
      return undefined;
    });
    this.setState(version === undefined ? { kind: 'ready' } : { kind: 'ready', version });
  }

  private async open(id: string, toldContext?: CreateSessionRequest['context']): Promise<AmplifierSession> {
    const { clock, random, log, context, limits } = this.options;
    const session: AmplifierSession = new AmplifierSession({
      id,
      client: this.client,
      clock,
      random,
      log,
      context,
      usageIsCumulative: this.info !== undefined && isRealServer(this.info),
      ...(limits ? { limits } : {}),
      ...(toldContext ? { toldContext } : {}),
      onConnected: () => {
        if (this.current.kind === 'failed') this.setState({ kind: 'ready' });
      },
      onReconnecting: () => {
        const message = `The connection to ${this.client.baseUrl.origin} was lost: trying again.`;
        if (this.current.kind === 'ready') this.setState({ kind: 'failed', message });
      },
      onEnded: () => this.forget(session),
    });
    this.sessions.add(session);
    try {
      await withDeadline(clock, 'Opening the stream of events', openTimeoutMs, () => session.start());
      return session;
    } catch (error) {
      session.dispose();
      if (!(error instanceof TimeoutError)) throw error;
      throw new BackendError(
        'timeout',
        'The server does not stream the events of the session. Restart it.',
        undefined,
        {
          cause: error,
        },
      );
    }
  }

  private forget(session: AmplifierSession): void {
    this.sessions.delete(session);
    // Nobody misses the server any more.
    if (this.sessions.size === 0 && this.current.kind === 'failed') this.setState({ kind: 'stopped' });
  }

  private async ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof AmplifierApiError)) throw error;
      const failure = error.toBackendError();
      if (error.httpStatus === undefined && error.code !== 'CANCELLED') {
        this.setState({ kind: 'failed', message: failure.message });
      }
      throw failure;
    }
  }

  private setState(state: BackendState): void {
    this.current = state;
    this.emitter.fire(state);
  }
}

/** The server that exists names an API version, which the API reference does not; its token usage is cumulative. */
function isRealServer({ api_version, amplifier_core_version }: ServerInfo): boolean {
  return api_version !== undefined && amplifier_core_version === undefined;
}
