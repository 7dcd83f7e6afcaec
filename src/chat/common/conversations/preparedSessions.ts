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
  /** `folder`: absolute. @throws BackendError when there is no folder to work in */
  readonly createOptions: (backendId: string, folder: string | undefined) => CreateSessionOptions;
  /** It was never spoken in: it is not listed as a conversation, and deleted where that is possible. Never rejects. */
  readonly forget: (backendId: string, sessionId: string) => Promise<void>;
  readonly starts: SessionStarts;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Nobody has written for so long: the first prompt makes a session of its own. */
const idleMs = 10 * 60_000;
/** A prompt on its way has left its page too, and takes the session once its agent has started. */
const leftMs = 2 * 60_000;

interface Waiting {
  readonly backendId: string;
  readonly options: CreateSessionOptions;
  /** Fires when it is given up, or taken. */
  readonly over: AbortController;
  /** Undefined where none is made. Never rejects. */
  making: Promise<Made | undefined>;
  made: Made | undefined;
}

interface Made {
  readonly backend: SessionBackend;
  readonly session: BackendSession;
}

/**
 * One session that is made before there is a prompt, so that its modes and models can be chosen: it becomes the session of the next
 * conversation with that agent, or is closed. What goes wrong with it is told by the prompt.
 */
export class PreparedSessions {
  private waiting: Waiting | undefined;
  private isAwaited = true;
  private limit: Disposable | undefined;
  private readonly queue = new KeyedQueue();

  constructor(private readonly ports: PreparedSessionsPorts) {}

  /** Makes one unless it is there; brings it up to date with what is chosen by now. Never throws. */
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

  /**
   * Whether a prompt may come for it: a page shows where it would be written. Without one it is closed after a short while,
   * with one when nothing was said or written for long: each `true` counts as that.
   */
  setAwaited(isAwaited: boolean): void {
    if (!isAwaited && !this.isAwaited) return;
    this.isAwaited = isAwaited;
    this.startLimit();
  }

  /** Closes the one that waits, unless it is with that backend. */
  keepOnly(backendId: string | undefined): void {
    if (this.waiting && this.waiting.backendId !== backendId) this.giveUp();
  }

  /** Whether it is the one that waits, which is no conversation yet. */
  has(backendId: string, sessionId: string): boolean {
    return this.waiting?.backendId === backendId && this.waiting.made?.session.id === sessionId;
  }

  /** The one that waits, where it fits, else a new one. @throws BackendError */
  async create(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession> {
    const prepared = await this.take(backend, options, signal);
    if (prepared) return prepared;
    const session = await backend.createSession(options, signal);
    this.ports.starts.learn(backend.id, session.config);
    return session;
  }

  /** The window ends: its agents do, too. */
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
      // What is being set is set before anything else is.
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

  /** The user has stopped waiting for it: the next prompt may have it. */
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
    // A session that the user was about to prompt when they closed the lid is still theirs when they open it.
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
      .catch((error: unknown) => log.debug(`Could not close a session that was not used: ${messageOf(error)}`))
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
      log.debug(`No session was made before the prompt: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** So that what depends on a choice is shown as it is then. What is refused is told by the prompt. Never rejects. */
  private apply({ backend, session }: Made): Promise<void> {
    return this.queue.run(session.id, async () => {
      try {
        await applyChoices(session, this.ports.starts.wanted(backend.id), backend.title);
      } catch (error) {
        this.ports.log.debug(messageOf(error));
      }
    });
  }

  /** Another process of the agent has never heard of it. */
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
      log.error('The events of a session that waits broke off', error);
    }
    // It has ended by itself: its agent was stopped, or its settings have changed.
    if (this.waiting !== waiting) return;
    this.waiting = undefined;
    starts.showWaiting(backendId, undefined);
  }
}

function fits(waiting: Waiting, backendId: string, options: CreateSessionOptions): boolean {
  return waiting.backendId === backendId && JSON.stringify(waiting.options) === JSON.stringify(options);
}
