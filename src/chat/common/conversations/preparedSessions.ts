import { applyChoices } from '../../../session/common/optionChoices';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../../session/common/sessionBackend';
import { KeyedQueue, setTimerExcludingSleep, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import type { NewSessionOptionsPort } from './newSessionOptionsPort';
import type { SessionPlace } from './sessionOptions';

interface PreparedSessionsPorts {
  /** Opens a backend. @throws BackendError */
  readonly open: (backendId: string) => Promise<SessionBackend>;
  /** Returns the options of a session. @throws BackendError without a folder to work in */
  readonly createOptions: (place: SessionPlace) => CreateSessionOptions;
  /** Hides an unused session from the list, and deletes it if the backend supports that. Never rejects. */
  readonly forget: (backendId: string, sessionId: string) => Promise<void>;
  readonly sessionDefaults: NewSessionOptionsPort;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a session is kept while a page shows an empty conversation. */
const idleMs = 10 * 60_000;
/**
 * How long a session is kept after the last such page has closed. A prompt that is being sent takes the session as soon
 * as the agent has started.
 */
const detachedTurnMs = 2 * 60_000;

interface Preparation {
  readonly backendId: string;
  readonly options: CreateSessionOptions;
  /** Aborted when the session is discarded, or when a prompt takes it. */
  readonly abort: AbortController;
  /** Resolves to undefined if no session could be created. Never rejects. */
  result: Promise<PreparedSession | undefined>;
  prepared: PreparedSession | undefined;
}

interface PreparedSession {
  readonly backend: SessionBackend;
  readonly session: BackendSession;
}

/**
 * Holds one session that was created before the first prompt, so that the user can choose its mode and model. The next
 * conversation with the backend takes it; otherwise it is closed. Errors are only logged, because the prompt reports
 * them later.
 */
export class PreparedSessions {
  private preparation: Preparation | undefined;
  private isPromptExpected = true;
  private expiryTimer: Disposable | undefined;
  private readonly optionQueue = new KeyedQueue();

  constructor(private readonly ports: PreparedSessionsPorts) {}

  /** Creates the session, or applies the current choices to the existing one. Never throws. */
  prepare(backendId: string, folder: string | undefined): void {
    let options: CreateSessionOptions;
    try {
      const preset = this.ports.sessionDefaults.presetFor?.(backendId);
      options = this.ports.createOptions({ backendId, folder, preset });
    } catch {
      return;
    }
    const { preparation } = this;
    this.isPromptExpected = true;
    if (preparation && fits(preparation, backendId, options)) {
      this.restartExpiry();
      if (preparation.prepared) void this.setChosenOptions(preparation.prepared);
      return;
    }
    this.discardCurrent();
    const created: Preparation = {
      backendId,
      options,
      abort: new AbortController(),
      result: Promise.resolve(undefined),
      prepared: undefined,
    };
    created.result = this.runPreparation(created);
    this.preparation = created;
    this.restartExpiry();
  }

  /** Reports whether a page shows an empty conversation. Each call with `true` restarts the idle time. */
  setPromptExpected(isExpected: boolean): void {
    if (!isExpected && !this.isPromptExpected) return;
    this.isPromptExpected = isExpected;
    this.restartExpiry();
  }

  /** Closes the session if it belongs to another backend. */
  discardExcept(backendId: string | undefined): void {
    if (this.preparation && this.preparation.backendId !== backendId) this.discardCurrent();
  }

  /** Whether this is the prepared session, which does not belong to a conversation yet. */
  has(backendId: string, sessionId: string): boolean {
    return this.preparation?.backendId === backendId && this.preparation.prepared?.session.id === sessionId;
  }

  /** Returns the prepared session if it matches, or else a new session. @throws BackendError */
  async takeOrCreate(
    backend: SessionBackend,
    options: CreateSessionOptions,
    signal: AbortSignal,
  ): Promise<BackendSession> {
    // The prepared session can write.
    const prepared = options.isReadOnly ? undefined : await this.takeIfMatching(backend, options, signal);
    if (prepared) return prepared;
    const session = await backend.createSession(options, signal);
    this.ports.sessionDefaults.of(backend.id).recordOfferedOptions?.(session.config);
    return session;
  }

  dispose(): void {
    const { prepared } = this.preparation ?? {};
    this.expiryTimer?.dispose();
    this.preparation?.abort.abort();
    this.preparation = undefined;
    if (!prepared) return;
    prepared.session.dispose();
    void this.ports.forget(prepared.backend.id, prepared.session.id);
  }

  private async takeIfMatching(
    backend: SessionBackend,
    options: CreateSessionOptions,
    signal: AbortSignal,
  ): Promise<BackendSession | undefined> {
    const { preparation } = this;
    if (preparation?.backendId !== backend.id) return undefined;
    if (!fits(preparation, backend.id, options)) {
      this.discardCurrent();
      return undefined;
    }
    this.preparation = undefined;
    this.expiryTimer?.dispose();
    let prepared: PreparedSession | undefined;
    try {
      prepared = await rejectOnAbort(preparation.result, signal);
      // Choices that are being applied must be complete.
      if (prepared) await rejectOnAbort(this.optionQueue.whenIdle(prepared.session.id), signal);
    } catch (error) {
      this.restorePreparation(preparation);
      throw error;
    }
    preparation.abort.abort();
    if (!prepared) return undefined;
    const isAlive = prepared.backend === backend && backend.state.kind === 'ready';
    if (isAlive) return prepared.session;
    prepared.session.dispose();
    this.ports.sessionDefaults.setPreparedSession(backend.id, undefined);
    return undefined;
  }

  /** Keeps the session for the next prompt, because the user has cancelled this one. */
  private restorePreparation(preparation: Preparation): void {
    if (this.preparation) this.discard(preparation);
    else {
      this.preparation = preparation;
      this.restartExpiry();
    }
  }

  private restartExpiry(): void {
    this.expiryTimer?.dispose();
    if (!this.preparation) return;
    // Only the time during which the computer is awake counts, so that sleep does not end the session.
    const delayMs = this.isPromptExpected ? idleMs : detachedTurnMs;
    this.expiryTimer = setTimerExcludingSleep(this.ports.clock, delayMs, () => this.discardCurrent());
  }

  private discardCurrent(): void {
    const { preparation } = this;
    this.preparation = undefined;
    this.expiryTimer?.dispose();
    if (preparation) this.discard(preparation);
  }

  private discard(preparation: Preparation): void {
    const { forget, log, sessionDefaults } = this.ports;
    preparation.abort.abort();
    sessionDefaults.setPreparedSession(preparation.backendId, undefined);
    const { prepared } = preparation;
    if (!prepared) return;
    prepared.session
      .close()
      .catch((error: unknown) => log.debug(`Cannot close an unused session: ${messageOf(error)}`))
      .finally(() => void forget(preparation.backendId, prepared.session.id));
  }

  private async runPreparation(preparation: Preparation): Promise<PreparedSession | undefined> {
    const { forget, log, open, sessionDefaults } = this.ports;
    const { backendId, options, abort } = preparation;
    try {
      const backend = await open(backendId);
      abort.signal.throwIfAborted();
      const session = await backend.prepareSession?.(options, abort.signal);
      if (!session) return undefined;
      if (abort.signal.aborted) {
        await session.close();
        await forget(backendId, session.id);
        return undefined;
      }
      const prepared = { backend, session };
      preparation.prepared = prepared;
      sessionDefaults.of(backendId).recordOfferedOptions?.(session.config);
      this.discardWhenAgentStops(preparation, backend);
      void this.followEvents(preparation, session);
      await this.setChosenOptions(prepared);
      return prepared;
    } catch (error) {
      log.debug(`Cannot prepare a session: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Sets the chosen options on the session. If an option is refused, the prompt reports it. Never rejects. */
  private setChosenOptions({ backend, session }: PreparedSession): Promise<void> {
    return this.optionQueue.run(session.id, async () => {
      try {
        const { choicesForNewSession = [] } = this.ports.sessionDefaults.of(backend.id);
        await applyChoices(session, choicesForNewSession, backend.title);
      } catch (error) {
        this.ports.log.debug(messageOf(error));
      }
    });
  }

  /** Discards the session when its agent stops, because a new process does not know it. */
  private discardWhenAgentStops(preparation: Preparation, backend: SessionBackend): void {
    const states = backend.onDidChangeState(({ kind }) => {
      if (kind !== 'ready' && this.preparation === preparation) this.discardCurrent();
    });
    preparation.abort.signal.addEventListener('abort', () => states.dispose(), { once: true });
  }

  private async followEvents(preparation: Preparation, session: BackendSession): Promise<void> {
    const { log, sessionDefaults } = this.ports;
    const { backendId, abort } = preparation;
    try {
      for await (const { event } of session.events({ signal: abort.signal })) {
        if (event.event === 'config:update' || event.event === 'commands:update')
          sessionDefaults.setPreparedSession(backendId, session);
      }
    } catch (error) {
      log.error('Cannot read the events of a prepared session', error);
    }
    // The session has ended because its agent was stopped or the settings have changed.
    if (this.preparation !== preparation) return;
    this.preparation = undefined;
    sessionDefaults.setPreparedSession(backendId, undefined);
  }
}

function fits(preparation: Preparation, backendId: string, options: CreateSessionOptions): boolean {
  return preparation.backendId === backendId && JSON.stringify(preparation.options) === JSON.stringify(options);
}
