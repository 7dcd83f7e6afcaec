import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import {
  isBackendError,
  type BackendCapabilities,
  type BackendErrorCode,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
} from '../../../session/common/sessionBackend';
import { KeyedQueue } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { SessionFile, SessionHead } from '../chatStore';
import { HistorySkip } from './historySkip';

export interface BackendConnectionPorts {
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly log: Logger;
  /** @throws BackendError when there is no folder to work in */
  createOptions(head: SessionHead): CreateSessionOptions;
  /** One that was made for it before, or a new one. @throws BackendError */
  createSession(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession>;
  /** The backend has been opened. */
  onBackend(backend: SessionBackend): void;
}

interface BackendConnectionHandlers {
  readonly onEvent: (event: SessionEvent) => void;
  /** Events were lost on the way here. */
  readonly onGap: () => void;
  readonly onState: () => void;
  /** The session is over; nothing comes any more. */
  readonly onEnded: () => void;
}

interface Connected {
  readonly session: BackendSession;
  /** `created`: it knows nothing of what was said before. */
  readonly how: 'open' | 'loaded' | 'created';
}

/** Errors that trying another way would not help against. */
const final: ReadonlySet<BackendErrorCode> = new Set(['authRequired', 'cancelled', 'untrusted', 'notReady', 'timeout']);

/** A conversation's way to its backend: opened with the first prompt, found again after it was lost. */
export class BackendConnection implements Disposable {
  private backend: SessionBackend | undefined;
  private known: BackendCapabilities | undefined;
  private current: BackendSession | undefined;
  private states: Disposable | undefined;
  private skip: HistorySkip | undefined;
  private readonly life = new AbortController();
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly file: Pick<SessionFile, 'head'>,
    private readonly ports: BackendConnectionPorts,
    private readonly handlers: BackendConnectionHandlers,
  ) {}

  get session(): BackendSession | undefined {
    return this.current;
  }

  /** Undefined before the backend was asked for. */
  get state(): BackendState | undefined {
    return this.backend?.state;
  }

  /** Undefined before the backend has told. */
  get capabilities(): BackendCapabilities | undefined {
    return this.known;
  }

  /** `remoteId` is the backend's name for the session, of one that it may remember. @throws BackendError */
  connect(remoteId: string | undefined, signal: AbortSignal): Promise<Connected> {
    // Who was stopped while it opened a session may still be about to get one.
    return this.queue.run('open', () => this.connectNow(remoteId, signal));
  }

  private async connectNow(remoteId: string | undefined, signal: AbortSignal): Promise<Connected> {
    signal.throwIfAborted();
    if (this.current) return { session: this.current, how: 'open' };
    const backend = await this.openBackend();
    this.known = await backend.capabilities(signal);
    if (remoteId !== undefined && this.known.canLoad) {
      const loaded = await this.tryLoad(backend, remoteId, signal);
      if (loaded) return { session: loaded, how: 'loaded' };
    }
    const session = await this.ports.createSession(backend, this.options(), signal);
    return { session: this.follow(session, undefined), how: 'created' };
  }

  /**
   * Takes up a session of the backend, with or without what it tells of the past. `heard` is what is known of a turn that
   * may still run. @throws BackendError
   */
  async load(remoteId: string, withHistory: boolean, signal: AbortSignal, heard = ''): Promise<BackendSession> {
    const backend = await this.openBackend();
    this.known = await backend.capabilities(signal);
    const session = await backend.loadSession(remoteId, { ...this.options(), heard }, signal);
    return this.follow(session, withHistory ? undefined : new HistorySkip(session));
  }

  /** What the session tells from now on is new, although no prompt has been told. */
  endHistory(): void {
    this.skip?.end();
  }

  /** Ends the session in the backend. Never rejects. */
  async close(): Promise<void> {
    const { current } = this;
    this.dispose();
    await current?.close().catch((error: unknown) => this.ports.log.debug(`Could not close: ${messageOf(error)}`));
  }

  /** Lets go of the session; a server goes on with it. */
  release(): void {
    this.dispose();
    this.current?.dispose();
    this.current = undefined;
  }

  dispose(): void {
    this.life.abort();
    this.states?.dispose();
    this.states = undefined;
  }

  private options(): CreateSessionOptions {
    return this.ports.createOptions(this.file.head);
  }

  private async openBackend(): Promise<SessionBackend> {
    const backend = await this.ports.backends.open(this.file.head.backendId);
    if (backend === this.backend) return backend;
    this.states?.dispose();
    this.backend = backend;
    this.states = backend.onDidChangeState(() => this.handlers.onState());
    this.ports.onBackend(backend);
    return backend;
  }

  private async tryLoad(backend: SessionBackend, id: string, signal: AbortSignal): Promise<BackendSession | undefined> {
    try {
      const session = await backend.loadSession(id, this.options(), signal);
      return this.follow(session, new HistorySkip(session));
    } catch (error) {
      if (signal.aborted || (isBackendError(error) && final.has(error.code))) throw error;
      this.ports.log.info(`A session could not be taken up again: ${messageOf(error)}`);
      return undefined;
    }
  }

  private follow(session: BackendSession, skip: HistorySkip | undefined): BackendSession {
    // The conversation was let go of meanwhile.
    if (this.life.signal.aborted) session.dispose();
    this.current = session;
    this.skip = skip;
    void this.pump(session, skip);
    return session;
  }

  /** Never rejects. The session's own log of events lets others run now and then. */
  private async pump(session: BackendSession, skip: HistorySkip | undefined): Promise<void> {
    const { handlers } = this;
    let last = 0;
    try {
      for await (const { sequence, event } of session.events({ signal: this.life.signal })) {
        if (last > 0 && sequence > last + 1) handlers.onGap();
        last = sequence;
        if (!skip?.skips(event)) handlers.onEvent(event);
      }
    } catch (error) {
      this.ports.log.error('The events of a session broke off', error);
    }
    if (this.current !== session || this.life.signal.aborted) return;
    this.current = undefined;
    handlers.onEnded();
  }
}
