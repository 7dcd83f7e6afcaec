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
  /** @throws BackendError if there is no folder to work in */
  createOptions(head: SessionHead): CreateSessionOptions;
  /** Returns the prepared session, or a new one. @throws BackendError */
  createSession(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession>;
  /** Called after a backend was opened. */
  onBackend(backend: SessionBackend): void;
}

interface BackendConnectionHandlers {
  readonly onEvent: (event: SessionEvent) => void;
  /** Events were lost in transit. */
  readonly onGap: () => void;
  readonly onState: () => void;
  /** The session has ended unexpectedly. */
  readonly onEnded: () => void;
}

interface Connected {
  readonly session: BackendSession;
  /** `created`: the session doesn't know the earlier conversation. */
  readonly how: 'open' | 'loaded' | 'created';
}

/** Errors after which creating a new session would fail, too. */
const final: ReadonlySet<BackendErrorCode> = new Set(['authRequired', 'cancelled', 'untrusted', 'notReady', 'timeout']);

/** Connects a conversation to its backend with the first prompt, and again after the connection was lost. */
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

  /** Undefined before the backend was opened. */
  get state(): BackendState | undefined {
    return this.backend?.state;
  }

  /** Undefined before the backend has reported them. */
  get capabilities(): BackendCapabilities | undefined {
    return this.known;
  }

  /** Returns the open session, or else loads `remoteId` or creates a new one. @throws BackendError */
  connect(remoteId: string | undefined, signal: AbortSignal): Promise<Connected> {
    // A cancelled call may still be opening a session.
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

  /** Loads a session, with or without its history. `heard` is the known text of a turn that may still run. @throws BackendError */
  async load(remoteId: string, withHistory: boolean, signal: AbortSignal, heard = ''): Promise<BackendSession> {
    const backend = await this.openBackend();
    this.known = await backend.capabilities(signal);
    const session = await backend.loadSession(remoteId, { ...this.options(), heard }, signal);
    return this.follow(session, withHistory ? undefined : new HistorySkip(session));
  }

  /** Treats all further events as new, even without a prompt before them. */
  endHistory(): void {
    this.skip?.end();
  }

  /** Ends the session in the backend. Never rejects. */
  async close(): Promise<void> {
    const { current } = this;
    this.dispose();
    await current
      ?.close()
      .catch((error: unknown) => this.ports.log.debug(`Cannot close a session: ${messageOf(error)}`));
  }

  /** Disconnects from the session without ending it in the backend. */
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
      this.ports.log.info(`Cannot load a session again: ${messageOf(error)}`);
      return undefined;
    }
  }

  private follow(session: BackendSession, skip: HistorySkip | undefined): BackendSession {
    // The conversation was closed in the meantime.
    if (this.life.signal.aborted) session.dispose();
    this.current = session;
    this.skip = skip;
    void this.pump(session, skip);
    return session;
  }

  /** Never rejects. */
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
      this.ports.log.error('Cannot read the events of a session', error);
    }
    if (this.current !== session || this.life.signal.aborted) return;
    this.current = undefined;
    handlers.onEnded();
  }
}
