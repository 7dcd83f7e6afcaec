import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import {
  BackendError,
  isBackendError,
  type BackendCapabilities,
  type BackendErrorCode,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
} from '../../../session/common/sessionBackend';
import { isPromptTurn } from '../../../session/common/sessionTurn';
import { KeyedQueue } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { ConversationFiles, ConversationHead } from '../chatStore';
import { StoringPace } from '../log/storingPace';
import { HistoryFilter } from './historyFilter';

export interface BackendConnectionPorts {
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly log: Logger;
  /** @throws BackendError if there is no folder in which to work */
  createOptions(head: ConversationHead): CreateSessionOptions;
  /** Returns the prepared session, or a new one. @throws BackendError */
  createSession(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession>;
  onBackendOpened(backend: SessionBackend): void;
  /** Closes a copy of a session that was not loaded. Never rejects. */
  closeFork(backendId: string, sessionId: string): Promise<void>;
  /** Closes a copy that no conversation uses, and deletes it or hides it from the list. Never rejects. */
  discardFork(backendId: string, sessionId: string): Promise<void>;
}

type EventSource = Pick<BackendSession, 'events' | 'holdBack'>;

interface BackendConnectionHandlers {
  readonly onEvent: (event: SessionEvent) => void;
  /** Called when events were lost in transit. */
  readonly onGap: () => void;
  readonly onState: () => void;
  /**
   * Called when the session has ended unexpectedly. `isRetired`: without a turn, because the settings have changed. A prompt that
   * is on its way goes to another session.
   */
  readonly onEnded: (isRetired: boolean) => void;
}

interface ConnectResult {
  readonly session: BackendSession;
  /** How the session was obtained. `created`: the session does not know the earlier conversation. */
  readonly origin: 'open' | 'loaded' | 'created';
}

/** Errors after which creating a new session would fail as well. */
const fatal: ReadonlySet<BackendErrorCode> = new Set(['authRequired', 'cancelled', 'untrusted', 'notReady', 'timeout']);

const turnEnds: ReadonlySet<string> = new Set(['prompt:complete', 'error']);

/** How often the settings may change while a conversation connects. */
const maxAttempts = 5;

/** Connects a conversation to its backend with the first prompt, and again after the connection has been lost. */
export class BackendConnection implements Disposable {
  private backend: SessionBackend | undefined;
  private currentCapabilities: BackendCapabilities | undefined;
  private currentSession: BackendSession | undefined;
  /** What `connect` has opened and not returned yet, because the settings have changed or the caller has canceled. */
  private unreported: ConnectResult | undefined;
  private stateListener: Disposable | undefined;
  private turnListener: Disposable | undefined;
  private historyFilter: HistoryFilter | undefined;
  private readonly lifetimeController = new AbortController();
  private readonly queue = new KeyedQueue();
  private readonly pace: StoringPace;

  constructor(
    private readonly conversationFiles: Pick<ConversationFiles, 'head' | 'whenStored'>,
    private readonly ports: BackendConnectionPorts,
    private readonly handlers: BackendConnectionHandlers,
  ) {
    this.pace = new StoringPace(conversationFiles);
  }

  get session(): BackendSession | undefined {
    return this.currentSession;
  }

  /** State of the backend. Undefined until the backend is opened. */
  get state(): BackendState | undefined {
    return this.backend?.state;
  }

  /** Whether the settings of the backend have changed, so that the next prompt needs another session. */
  get isOutdated(): boolean {
    return this.backend?.isOutdated === true;
  }

  /** Capabilities of the backend. Undefined until the backend has reported them. */
  get capabilities(): BackendCapabilities | undefined {
    return this.currentCapabilities;
  }

  /**
   * The instructions that the backend does not give to its model by itself, so that they have to be sent with a prompt. Empty if
   * there are none. @throws BackendError if there is no folder in which to work
   */
  get unsentInstructions(): string {
    return this.currentCapabilities?.takesInstructions ? '' : (this.createOptions().instructions ?? '');
  }

  /** Lets a backend that has crashed too often start again, because the user wants it. */
  forgetFailures(): void {
    this.backend?.forgetFailures?.();
  }

  /** Returns the open session, or loads the session `remoteId`, or creates a new one. @throws BackendError */
  connect(remoteId: string | undefined, signal: AbortSignal): Promise<ConnectResult> {
    // A cancelled call may still be opening a session.
    return this.queue.run('open', () => this.connectNow(remoteId, signal));
  }

  private async connectNow(remoteId: string | undefined, signal: AbortSignal): Promise<ConnectResult> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      if (this.isOutdated && this.currentSession && !isPromptTurn(this.currentSession.turn)) this.leaveSession();
      if (this.currentSession) return this.reportOf(this.currentSession);
      const backend = await this.openBackend();
      try {
        this.unreported = await this.connectTo(backend, remoteId, signal);
        // The settings may have changed meanwhile.
        if (backend.isOutdated !== true || attempt === maxAttempts) return this.reportOf(this.unreported.session);
      } catch (error) {
        if (signal.aborted || backend.isOutdated !== true || attempt === maxAttempts) throw error;
        this.ports.log.info(`The settings have changed while connecting: ${messageOf(error)}`);
      }
    }
  }

  /** The first to get a session learns how it was obtained, because it has to be bound and given its options then. */
  private reportOf(session: BackendSession): ConnectResult {
    const { unreported } = this;
    this.unreported = undefined;
    return unreported?.session === session ? unreported : { session, origin: 'open' };
  }

  private async connectTo(
    backend: SessionBackend,
    remoteId: string | undefined,
    signal: AbortSignal,
  ): Promise<ConnectResult> {
    this.currentCapabilities = await backend.capabilities(signal);
    if (remoteId !== undefined && this.currentCapabilities.canLoad) {
      const loaded = await this.tryLoad(backend, remoteId, signal);
      if (loaded) return { session: loaded, origin: 'loaded' };
    }
    const session = await this.ports.createSession(backend, this.createOptions(), signal);
    return { session: this.attachSession(session, undefined), origin: 'created' };
  }

  /**
   * Loads a session, with or without its history. `receivedTurnText` is the received text of a turn that may still be
   * running. @throws BackendError
   */
  async loadSession(
    remoteId: string,
    withHistory: boolean,
    signal: AbortSignal,
    receivedTurnText = '',
  ): Promise<BackendSession> {
    const backend = await this.openBackend();
    this.currentCapabilities = await backend.capabilities(signal);
    const options = { ...this.createOptions(), receivedTurnText };
    if (!withHistory) {
      const session = await backend.loadSession(remoteId, options, signal);
      return this.attachSession(session, new HistoryFilter(session));
    }
    let isReading = false;
    const onLoading = (loading: EventSource): void => {
      isReading = true;
      void this.readEvents(loading, undefined);
    };
    const session = await backend.loadSession(remoteId, { ...options, onLoading }, signal);
    return this.attachSession(session, undefined, isReading);
  }

  /** Copies the session `remoteId` to one that can only read, or also write. Resolves to undefined if that is not possible. Never rejects. */
  async forkSession(remoteId: string | undefined, isReadOnly: boolean): Promise<string | undefined> {
    if (remoteId === undefined) return undefined;
    try {
      const backend = await this.openBackend();
      const options = { ...this.createOptions(), isReadOnly };
      return await backend.forkSession?.(remoteId, options, this.lifetimeController.signal);
    } catch (error) {
      this.ports.log.info(`Cannot copy a session: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Discards a copy from `forkSession` that no conversation uses. Never rejects. */
  async discardFork(remoteId: string): Promise<void> {
    await this.ports.discardFork(this.conversationFiles.head.backendId, remoteId);
  }

  /** From now on, treats all events as new, even without a preceding prompt. */
  endHistory(): void {
    this.historyFilter?.endHistory();
  }

  /** Ends the session in the backend. Never rejects. */
  async closeSession(): Promise<void> {
    const { currentSession, ports } = this;
    this.dispose();
    await currentSession?.close().catch((error: unknown) => ports.log.debug(`Cannot close: ${messageOf(error)}`));
    if (!currentSession) await this.closeUnloadedFork();
  }

  /** Disconnects from the session without ending it in the backend. */
  disconnect(): void {
    this.dispose();
    if (!this.currentSession) void this.closeUnloadedFork();
    this.currentSession?.dispose();
    this.currentSession = undefined;
  }

  private leaveSession(): void {
    const { currentSession } = this;
    // Its end is not a loss then.
    this.currentSession = undefined;
    this.turnListener?.dispose();
    currentSession?.dispose();
  }

  dispose(): void {
    this.lifetimeController.abort();
    this.stateListener?.dispose();
    this.stateListener = undefined;
    this.turnListener?.dispose();
  }

  /** Closes the copy that the conversation has got from a fork, if it was never loaded. Never rejects. */
  private async closeUnloadedFork(): Promise<void> {
    const { backendId, remoteId } = this.conversationFiles.head;
    if (remoteId !== undefined) await this.ports.closeFork(backendId, remoteId);
  }

  private createOptions(): CreateSessionOptions {
    return this.ports.createOptions(this.conversationFiles.head);
  }

  private async openBackend(): Promise<SessionBackend> {
    const backend = await this.ports.backends.open(this.conversationFiles.head.backendId);
    const { aside, preset } = this.conversationFiles.head;
    if (aside) requireHoldsReadOnly(backend);
    // What denies everything but reading denies what a preset does, too.
    if (preset?.limits && backend.holdsReadOnly !== true)
      throw new BackendError('unsupported', `${backend.title} can’t be held to the permissions of this preset.`);
    if (backend === this.backend) return backend;
    this.stateListener?.dispose();
    this.backend = backend;
    this.stateListener = backend.onDidChangeState(() => this.handlers.onState());
    this.ports.onBackendOpened(backend);
    return backend;
  }

  private async tryLoad(backend: SessionBackend, id: string, signal: AbortSignal): Promise<BackendSession | undefined> {
    try {
      const session = await backend.loadSession(id, this.createOptions(), signal);
      return this.attachSession(session, new HistoryFilter(session));
    } catch (error) {
      if (signal.aborted || (isBackendError(error) && fatal.has(error.code))) throw error;
      this.ports.log.info(`Cannot load a session again: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** `isReading`: the events are read already. */
  private attachSession(session: BackendSession, filter: HistoryFilter | undefined, isReading = false): BackendSession {
    // The conversation was closed in the meantime.
    if (this.lifetimeController.signal.aborted) session.dispose();
    this.currentSession = session;
    this.turnListener?.dispose();
    if (!this.lifetimeController.signal.aborted)
      this.turnListener = session.onDidChangeTurn(() => this.handlers.onState());
    this.historyFilter = filter;
    if (!isReading) void this.readEvents(session, filter);
    return session;
  }

  /** Reads the events until the session ends. Never rejects. */
  private async readEvents(session: EventSource, filter: HistoryFilter | undefined): Promise<void> {
    const { backend, handlers } = this;
    let last = 0;
    let isInTurn = false;
    let isRetired = false;
    try {
      const how = { signal: this.lifetimeController.signal, isStoring: true };
      for await (const { sequence, event } of session.events(how)) {
        // What is missing before the first event of a filtered history is known already.
        if ((last > 0 || !filter) && sequence > last + 1) handlers.onGap();
        last = sequence;
        isInTurn = event.event === 'prompt:submit' || (isInTurn && !turnEnds.has(event.event));
        isRetired = event.event === 'session:end' && !isInTurn && backend?.isOutdated === true;
        if (!isRetired && !filter?.isHistory(event)) handlers.onEvent(event);
        this.pace.keep(session);
      }
    } catch (error) {
      this.ports.log.error('Cannot read the events of a session', error);
    }
    if (this.currentSession !== session || this.lifetimeController.signal.aborted) return;
    this.currentSession = undefined;
    handlers.onEnded(isRetired);
  }
}

/** @throws BackendError `unsupported` if side questions to this agent could write */
export function requireHoldsReadOnly({ holdsReadOnly, title }: Pick<SessionBackend, 'holdsReadOnly' | 'title'>): void {
  if (holdsReadOnly === true) return;
  throw new BackendError('unsupported', `${title} can’t be limited to reading, so it can’t be asked aside.`);
}
