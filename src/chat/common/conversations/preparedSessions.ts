import { applyChoices } from '../../../session/common/optionChoices';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../../session/common/sessionBackend';
import { KeyedQueue, setAwakeTimer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { untilAborted } from '../../../session/common/untilAborted';
import type { SessionStarts } from './sessionStarts';

interface PreparedSessionsPorts {
  /** @throws BackendError */
  readonly open: (backendId: string) => Promise<SessionBackend>;
  /** `folder` is absolute. @throws BackendError if there is no folder to work in */
  readonly createOptions: (backendId: string, folder: string | undefined) => CreateSessionOptions;
  /** Hides an unused session from the list, and deletes it if the backend supports that. Never rejects. */
  readonly forget: (backendId: string, sessionId: string) => Promise<void>;
  readonly starts: SessionStarts;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a session is kept while a page shows an empty conversation. */
const idleMs = 10 * 60_000;
/** How long it is kept after that. A prompt being sent has left the empty page, and takes the session when the agent has started. */
const leftMs = 2 * 60_000;

interface Waiting {
  readonly backendId: string;
  readonly options: CreateSessionOptions;
  /** Aborted when the session is discarded or taken. */
  readonly over: AbortController;
  /** Resolves to undefined if no session was created. Never rejects. */
  making: Promise<Made | undefined>;
  made: Made | undefined;
}

interface Made {
  readonly backend: SessionBackend;
  readonly session: BackendSession;
}

/**
 * Holds one session created before the first prompt, so that its modes and models can be chosen. The next conversation with the
 * backend takes it; otherwise it is closed. Errors are only logged, since the prompt will report them.
 */
export class PreparedSessions {
  private waiting: Waiting | undefined;
  private isAwaited = true;
  private limit: Disposable | undefined;
  private readonly queue = new KeyedQueue();

  constructor(private readonly ports: PreparedSessionsPorts) {}

  /** Creates the session, or applies the current choices to the existing one. Never throws. */
  prepare(backendId: string, folder: string | undefined): void {
    let options: CreateSessionOptions;
    try {
      options = this.ports.createOptions(backendId, folder);
    } catch {
      return;
    }
    const { waiting } = this;
    this.isAwaited = true;
    if (waiting && fits(waiting, backendId, options)) {
      this.startLimit();
      if (waiting.made) void this.apply(waiting.made);
      return;
    }
    this.giveUp();
    const mine: Waiting = {
      backendId,
      options,
      over: new AbortController(),
      making: Promise.resolve(undefined),
      made: undefined,
    };
    mine.making = this.make(mine);
    this.waiting = mine;
    this.startLimit();
  }

  /** Reports whether a page shows an empty conversation. Each call with `true` restarts the idle time. */
  setAwaited(isAwaited: boolean): void {
    if (!isAwaited && !this.isAwaited) return;
    this.isAwaited = isAwaited;
    this.startLimit();
  }

  /** Closes the session unless it belongs to this backend. */
  keepOnly(backendId: string | undefined): void {
    if (this.waiting && this.waiting.backendId !== backendId) this.giveUp();
  }

  /** Whether this is the prepared session, which isn't a conversation yet. */
  has(backendId: string, sessionId: string): boolean {
    return this.waiting?.backendId === backendId && this.waiting.made?.session.id === sessionId;
  }

  /** Returns the prepared session if it fits, else a new one. @throws BackendError */
  async create(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession> {
    const prepared = await this.take(backend, options, signal);
    if (prepared) return prepared;
    const session = await backend.createSession(options, signal);
    this.ports.starts.learn(backend.id, session.config);
    return session;
  }

  dispose(): void {
    const { made } = this.waiting ?? {};
    this.limit?.dispose();
    this.waiting?.over.abort();
    this.waiting = undefined;
    if (!made) return;
    made.session.dispose();
    void this.ports.forget(made.backend.id, made.session.id);
  }

  private async take(
    backend: SessionBackend,
    options: CreateSessionOptions,
    signal: AbortSignal,
  ): Promise<BackendSession | undefined> {
    const { waiting } = this;
    if (waiting?.backendId !== backend.id) return undefined;
    if (!fits(waiting, backend.id, options)) {
      this.giveUp();
      return undefined;
    }
    this.waiting = undefined;
    this.limit?.dispose();
    let made: Made | undefined;
    try {
      made = await untilAborted(waiting.making, signal);
      // Wait until pending choices are applied.
      if (made) await untilAborted(this.queue.idle(made.session.id), signal);
    } catch (error) {
      this.putBack(waiting);
      throw error;
    }
    waiting.over.abort();
    if (!made) return undefined;
    const isAlive = made.backend === backend && backend.state.kind === 'ready';
    if (isAlive) return made.session;
    made.session.dispose();
    this.ports.starts.showWaiting(backend.id, undefined);
    return undefined;
  }

  /** Keeps the session for the next prompt after the user cancelled this one. */
  private putBack(waiting: Waiting): void {
    if (this.waiting) this.discard(waiting);
    else {
      this.waiting = waiting;
      this.startLimit();
    }
  }

  private startLimit(): void {
    this.limit?.dispose();
    if (!this.waiting) return;
    // Counts only time awake, so that the session survives a suspended computer.
    this.limit = setAwakeTimer(this.ports.clock, this.isAwaited ? idleMs : leftMs, () => this.giveUp());
  }

  private giveUp(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.limit?.dispose();
    if (waiting) this.discard(waiting);
  }

  private discard(waiting: Waiting): void {
    const { forget, log, starts } = this.ports;
    waiting.over.abort();
    starts.showWaiting(waiting.backendId, undefined);
    const { made } = waiting;
    if (!made) return;
    made.session
      .close()
      .catch((error: unknown) => log.debug(`Cannot close an unused session: ${messageOf(error)}`))
      .finally(() => void forget(waiting.backendId, made.session.id));
  }

  private async make(waiting: Waiting): Promise<Made | undefined> {
    const { forget, log, open, starts } = this.ports;
    const { backendId, options, over } = waiting;
    try {
      const backend = await open(backendId);
      over.signal.throwIfAborted();
      const session = await backend.prepareSession?.(options, over.signal);
      if (!session) return undefined;
      if (over.signal.aborted) {
        await session.close();
        await forget(backendId, session.id);
        return undefined;
      }
      const made = { backend, session };
      waiting.made = made;
      starts.learn(backendId, session.config);
      this.endWithAgent(waiting, backend);
      void this.follow(waiting, session);
      await this.apply(made);
      return made;
    } catch (error) {
      log.debug(`Cannot prepare a session: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Sets the chosen options on the session. The prompt reports what is refused. Never rejects. */
  private apply({ backend, session }: Made): Promise<void> {
    return this.queue.run(session.id, async () => {
      try {
        await applyChoices(session, this.ports.starts.wanted(backend.id), backend.title);
      } catch (error) {
        this.ports.log.debug(messageOf(error));
      }
    });
  }

  /** Discards the session when its agent stops, since a new process wouldn't know it. */
  private endWithAgent(waiting: Waiting, backend: SessionBackend): void {
    const states = backend.onDidChangeState(({ kind }) => {
      if (kind !== 'ready' && this.waiting === waiting) this.giveUp();
    });
    waiting.over.signal.addEventListener('abort', () => states.dispose(), { once: true });
  }

  private async follow(waiting: Waiting, session: BackendSession): Promise<void> {
    const { log, starts } = this.ports;
    const { backendId, over } = waiting;
    try {
      for await (const { event } of session.events({ signal: over.signal })) {
        if (event.event === 'config:update' || event.event === 'commands:update')
          starts.showWaiting(backendId, session);
      }
    } catch (error) {
      log.error('Cannot read the events of a prepared session', error);
    }
    // The session has ended: its agent was stopped, or its settings have changed.
    if (this.waiting !== waiting) return;
    this.waiting = undefined;
    starts.showWaiting(backendId, undefined);
  }
}

function fits(waiting: Waiting, backendId: string, options: CreateSessionOptions): boolean {
  return waiting.backendId === backendId && JSON.stringify(waiting.options) === JSON.stringify(options);
}
