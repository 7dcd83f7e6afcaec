import { withDeadline } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { isMissingRoute, isAmplifierApiError } from '../../common/api/apiErrors';
import { isRealServer, type CreateSessionRequest, type Credentials, type ServerInfo } from '../../common/api/apiSchema';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendCapabilities,
  type BackendState,
  type CreateSessionOptions,
  type LoadSessionOptions,
  type SessionBackend,
  type SessionChoices,
  type SessionSummary,
} from '../../../session/common/sessionBackend';
import { untilAborted } from '../../../session/common/untilAborted';
import { isLoopback } from '../../../base/common/loopback';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { toRfc3339 } from '../../common/api/wireTime';
import type { AmplifierClient } from './http/amplifierClient';
import { AmplifierSession } from './amplifierSession';
import { ProfileChoice } from './profileChoice';

import type { AmplifierSessionOptions, PendingDenials } from './sessionOptions';

export interface AmplifierBackendOptions extends Pick<
  AmplifierSessionOptions,
  'client' | 'clock' | 'context' | 'limits' | 'log' | 'random'
> {
  readonly id: string;
  readonly title: string;
  /** The key for this server; undefined if none is stored or it may not be sent there. */
  readonly credentials: (server: URL) => Promise<Credentials | undefined>;
  /** Why the stored key is not sent to this server, and what to do; undefined without a problem. */
  readonly keyProblem?: (server: URL) => Promise<string | undefined>;
  /** The configured default profile; empty for the server's own default. */
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
/** For sending the last denials: VS Code gives an extension three seconds to shut down. */
const stopTimeoutMs = 2000;
/** For ending a session that was created, but cannot be used. */
const discardTimeoutMs = 5000;

/** A backend for one Amplifier server, which it does not start. Owns its client. */
export class AmplifierBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly client: AmplifierClient;
  private readonly emitter = new Emitter<BackendState>((error) => this.options.log.error('a listener failed', error));
  readonly onDidChangeState = this.emitter.event;
  private readonly sessions = new Set<AmplifierSession>();
  /** Of closed sessions whose approvals may still be pending on the server. */
  private readonly denials = new Set<PendingDenials>();
  /** Deletions of sessions whose creation was cancelled. */
  private readonly unwanted = new Set<Promise<void>>();
  private current: BackendState = { kind: 'stopped' };
  private info: ServerInfo | undefined;
  private readonly profiles: ProfileChoice;

  constructor(private readonly options: AmplifierBackendOptions) {
    this.id = options.id;
    this.title = options.title;
    this.client = options.client;
    const { client, log, profile = () => '' } = options;
    this.profiles = new ProfileChoice({ client, configured: profile, log });
  }

  get state(): BackendState {
    return this.current;
  }

  async capabilities(signal?: AbortSignal): Promise<BackendCapabilities> {
    if (this.current.kind !== 'ready') await this.connect(signal);
    return capabilities;
  }

  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<AmplifierSession> {
    await this.connect(signal);
    const { context, credentials } = this.options;
    const profile = options.profile ?? this.profiles.defaultFor(this.info);
    const request: CreateSessionRequest = {
      profile,
      credentials: (await credentials(this.client.baseUrl)) ?? {},
      context: await context.collect(options.cwd),
    };
    if (options.model !== undefined) request.model = options.model;
    const id = await this.ask(() => this.make(request, signal)).catch(async (error: unknown) => {
      throw await this.profiles.explain(error, profile);
    });
    this.profiles.accepted(profile);
    try {
      const session = await this.open(id, { cwd: options.cwd, signal, prepare: (made) => made.begin() });
      const problem = await this.options.keyProblem?.(this.client.baseUrl);
      if (problem !== undefined) session.notice('warning', problem);
      return session;
    } catch (error) {
      await this.discard(id);
      throw error;
    }
  }

  /** The profile and, if the server lists models, the model. */
  async sessionOptions(chosen: SessionChoices, signal?: AbortSignal): Promise<readonly ConfigOption[]> {
    await this.connect(signal);
    return await this.ask(() => this.profiles.ask(chosen, this.info, signal));
  }

  async listSessions(options: { signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const list = await this.ask(() => this.client.listSessions(maxSessions, options.signal));
    const summaries = list.sessions.map(({ session_id: id, profile, created_at }): SessionSummary => {
      const title = profile === undefined ? undefined : `Session with ${profile}`;
      return { id, ...withoutUndefined({ title, updatedAt: toRfc3339(created_at) }) };
    });
    return summaries.sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''));
  }

  /** Skips past events, which the stored transcript contains, if the server supports that. */
  async loadSession(sessionId: string, { heard }: LoadSessionOptions, signal?: AbortSignal): Promise<AmplifierSession> {
    await this.connect(signal);
    await this.rememberKey();
    const askedAtMs = this.options.clock.now();
    const status = await this.ask(() => this.client.getSession(sessionId, signal));
    return this.open(sessionId, { heard, signal, prepare: (session) => session.resume(status, askedAtMs) });
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.ask(() => this.client.deleteSession(sessionId));
  }

  async stop(): Promise<void> {
    for (const session of [...this.sessions]) session.dispose();
    const denials = [...this.denials];
    await withDeadline(this.options.clock, 'Denying pending approvals', stopTimeoutMs, () =>
      Promise.all([...denials.map((denial) => denial.whenSettled()), ...this.unwanted]),
    ).catch((error: unknown) => this.options.log.warn(messageOf(error)));
    for (const denial of denials) denial.dispose();
    this.setState({ kind: 'stopped' });
  }

  dispose(): void {
    const stopped = this.stop();
    this.emitter.dispose();
    void stopped.finally(() => this.client.dispose());
  }

  /** @throws BackendError if the server is unavailable */
  private async connect(signal?: AbortSignal): Promise<void> {
    if (this.current.kind !== 'ready') {
      this.setState({ kind: 'starting', message: `Connecting to the server at ${this.client.baseUrl.origin}…` });
    }
    const { version } = await this.ask(() => this.client.health(signal));
    this.info ??= await this.client.info(signal).catch((error: unknown) => {
      if (!isMissingRoute(error)) this.options.log.debug('the server info is unavailable');
      return undefined;
    });
    this.setState({ kind: 'ready', ...withoutUndefined({ version }) });
  }

  /** Rejects immediately when cancelled. If the server creates the session nevertheless, it is deleted. */
  private async make(request: CreateSessionRequest, signal: AbortSignal | undefined): Promise<string> {
    if (signal?.aborted) throw cancelled();
    const made = this.client.createSession(request).then(({ session_id: id }) => id);
    try {
      return await untilAborted(made, signal);
    } catch (error) {
      if (signal?.aborted) {
        const ended = made.then((id) => this.discard(id)).catch(() => undefined);
        this.unwanted.add(ended);
        void ended.finally(() => this.unwanted.delete(ended));
      }
      throw error;
    }
  }

  private async open(id: string, how: OpenOptions): Promise<AmplifierSession> {
    const { cwd, heard = '', signal, prepare } = how;
    const session: AmplifierSession = new AmplifierSession({
      ...this.options,
      id,
      heard,
      usageIsCumulative: this.info !== undefined && isRealServer(this.info),
      ...withoutUndefined({ cwd }),
      onConnected: () => {
        if (this.current.kind === 'failed') this.setState({ kind: 'ready' });
      },
      onReconnecting: () => {
        const message = `The connection to ${this.client.baseUrl.origin} was lost. Reconnecting…`;
        if (this.current.kind === 'ready') this.setState({ kind: 'failed', message });
      },
      onEnded: (denials) => this.forget(session, denials),
    });
    this.sessions.add(session);
    prepare(session);
    const letGo = (): void => session.dispose();
    signal?.addEventListener('abort', letGo, { once: true });
    try {
      if (signal?.aborted) letGo();
      else await withDeadline(this.options.clock, 'Opening the stream of events', openTimeoutMs, () => session.start());
    } catch (error) {
      session.dispose();
      if (error instanceof TimeoutError) throw streamTimeout(error);
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', letGo);
    }
    if (signal?.aborted) throw cancelled();
    return session;
  }

  /** A local server may echo a key that it received earlier. For remote servers, the user would have to confirm. */
  private async rememberKey(): Promise<void> {
    const { baseUrl, redactor } = this.client;
    if (isLoopback(baseUrl)) redactor.add((await this.options.credentials(baseUrl))?.anthropic_api_key);
  }

  /** Deletes a session that cannot be used. Never rejects. */
  private async discard(id: string): Promise<void> {
    const { clock, log } = this.options;
    await withDeadline(clock, 'Ending the session', discardTimeoutMs, (signal) =>
      this.client.deleteSession(id, signal),
    ).catch((error: unknown) => log.warn(`session ${id} stays on the server: ${messageOf(error)}`));
  }

  private forget(session: AmplifierSession, denials: PendingDenials): void {
    this.sessions.delete(session);
    this.denials.add(denials);
    void denials.whenSettled().then(() => this.denials.delete(denials));
    // The failure no longer matters without sessions.
    if (this.sessions.size === 0 && this.current.kind === 'failed') this.setState({ kind: 'stopped' });
  }

  private async ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!isAmplifierApiError(error)) throw error;
      const failure = error.toBackendError();
      const { message } = failure;
      if (error.code === 'UNAUTHORIZED') this.setState({ kind: 'authRequired', message, methods: [] });
      else if (error.code === 'CANCELLED') this.notStarted({ kind: 'stopped' });
      else if (error.httpStatus === undefined) this.setState({ kind: 'failed', message });
      else this.notStarted({ kind: 'failed', message });
      throw failure;
    }
  }

  /** Sets the state if the failed or cancelled request was part of connecting. */
  private notStarted(state: BackendState): void {
    if (this.current.kind === 'starting') this.setState(state);
  }

  private setState(state: BackendState): void {
    this.current = state;
    this.emitter.fire(state);
  }
}

interface OpenOptions {
  /** Absolute path; only for a new session. */
  readonly cwd?: string;
  readonly heard?: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called before the stream opens. */
  readonly prepare: (session: AmplifierSession) => void;
}

function cancelled(): BackendError {
  return new BackendError('cancelled', 'Canceled.');
}

function streamTimeout(cause: TimeoutError): BackendError {
  const message = 'The server did not open the event stream of the session. Restart the server.';
  return new BackendError('timeout', message, undefined, { cause });
}
