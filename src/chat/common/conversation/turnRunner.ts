import { BackendError, isBackendError, type BackendSession } from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from './conversation';
import { pause, type PromptDelivery } from './promptDelivery';
import type { BackendConnection } from './backendConnection';
import { hasPrompt, reduce, type Delivery, type TurnEffect, type TurnInput, type TurnPhase } from './turnPhase';

interface TurnRunnerPorts {
  readonly told: Conversation;
  readonly connection: BackendConnection;
  readonly delivery: PromptDelivery;
  readonly clock: Clock;
  readonly log: Logger;
  /** The turn has ended, by whatever. */
  readonly onEnd: () => void;
  /** The prompt was never said: it belongs to where it came from. */
  readonly onWithdrawn: (promptId: string) => void;
}

/** Who has sent a prompt, and waits. */
interface Sender extends Pick<PromiseWithResolvers<undefined>, 'resolve' | 'reject'> {
  readonly abort: AbortController;
}

const resumeTimeoutMs = 10_000;
const resumePollMs = 100;
const resumePolls = 25;

/** Does what the phase of the turn asks for, and tells it what came of that. */
export class TurnRunner {
  private current: TurnPhase = { kind: 'idle' };
  private readonly senders = new Map<string, Sender>();
  /** Resolves when the backend has ended what was stopped last, or could not. */
  private ending: Promise<void> = Promise.resolve();
  private readonly life = new AbortController();

  constructor(private readonly ports: TurnRunnerPorts) {}

  get phase(): TurnPhase {
    return this.current;
  }

  /** What is sent now has to wait for the end of a turn. */
  get isBusy(): boolean {
    return this.ports.told.story.isBusy || hasPrompt(this.current);
  }

  /** Resolves when the backend has taken the prompt, or the user has stopped it. @throws BackendError */
  async run(prompt: QueuedPrompt): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<undefined>();
    this.senders.set(prompt.id, { resolve, reject, abort: new AbortController() });
    this.take({ type: 'prompt', prompt });
    await promise;
  }

  /** The turn has ended in the transcript with this call, and in the backend when it resolves. Never rejects. */
  async stop(): Promise<void> {
    const { connection, told } = this.ports;
    this.take({ type: 'stop', isBusy: told.story.isBusy, session: connection.session });
    await this.ending;
  }

  /** A turn that ended with its window may still run in a backend that lives on. */
  resume(): void {
    const { head, story } = this.ports.told;
    const isLeft = story.lastEnd?.outcome === 'interrupted' && head.remoteId !== undefined;
    if (isLeft) this.take({ type: 'resume' });
  }

  ended(): void {
    this.take({ type: 'ended' });
  }

  /** The session is over in the backend. */
  lost(): void {
    const { isBusy, isStopping } = this.ports.told.story;
    this.take({ type: 'lost', isBusy, isSettling: isStopping });
  }

  /** With its options as they are shown. @throws BackendError */
  async connect(): Promise<BackendSession> {
    return await this.ports.delivery.connect(this.life.signal);
  }

  /** What was not sent is withdrawn, and nothing more is sent. */
  close(): void {
    this.life.abort();
    this.take({ type: 'close' });
  }

  private take(input: TurnInput): void {
    const before = this.current;
    const { effects, phase } = reduce(before, input);
    this.current = phase;
    for (const effect of effects) this.perform(effect);
    if (phase !== before) this.ports.told.emitter.fire();
  }

  private perform(effect: TurnEffect): void {
    const { told } = this.ports;
    switch (effect.type) {
      case 'begin':
        told.prompted(effect.prompt);
        return;
      case 'record':
        told.record(effect.record);
        return;
      case 'connect':
        void this.prepare(effect.prompt);
        return;
      case 'send':
        void this.send(effect.promptId, effect.delivery);
        return;
      case 'abort':
        this.senders.get(effect.promptId)?.abort.abort();
        return;
      case 'cancel':
        this.ending = this.cancel(effect.session);
        return;
      case 'look':
        this.ending = this.look();
        return;
      case 'goOn':
        this.goOn();
        return;
      case 'breakOff':
        told.brokenOff();
        return;
      case 'withdraw':
        told.record({ type: 'withdrawn', id: effect.promptId });
        if (effect.isFailure) told.file.changeHead({ state: 'failed' });
        this.ports.onWithdrawn(effect.promptId);
        return;
      case 'queue':
        told.record({ type: 'withdrawn', id: effect.prompt.id });
        // One that was taken from the queue is in it again by that.
        if (!told.queue.get(effect.prompt.id)) told.record({ type: 'queued', ...effect.prompt, isNext: true });
        return;
      case 'end':
        this.ports.onEnd();
        return;
      case 'answer':
        this.answer(effect.promptId, effect.error);
    }
  }

  private answer(promptId: string, error: BackendError | undefined): void {
    const sender = this.senders.get(promptId);
    this.senders.delete(promptId);
    if (error) sender?.reject(error);
    else sender?.resolve(undefined);
  }

  private signalOf(promptId: string): AbortSignal {
    return this.senders.get(promptId)?.abort.signal ?? this.life.signal;
  }

  private async prepare(prompt: QueuedPrompt): Promise<void> {
    const { id: promptId } = prompt;
    try {
      const delivery = await this.ports.delivery.prepare(prompt, this.signalOf(promptId));
      this.take({ type: 'connected', promptId, delivery });
    } catch (error) {
      this.refused(promptId, error);
    }
  }

  private async send(promptId: string, delivery: Delivery): Promise<void> {
    try {
      await this.ports.delivery.send(delivery, this.signalOf(promptId));
      this.take({ type: 'taken', promptId });
    } catch (error) {
      this.refused(promptId, error);
    }
  }

  private refused(promptId: string, thrown: unknown): void {
    const error = isBackendError(thrown)
      ? thrown
      : new BackendError('backend', messageOf(thrown), undefined, { cause: thrown });
    this.take({ type: 'refused', promptId, error, isUnheard: this.ports.told.story.isStarting });
  }

  /** Never rejects. */
  private async cancel(session: BackendSession): Promise<void> {
    try {
      await session.cancel();
    } catch (error) {
      this.ports.told.notice('warning', `The agent could not be stopped: ${messageOf(error)}`);
    }
    this.take({ type: 'cancelled' });
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    let session: BackendSession | undefined;
    try {
      session = await this.foundBusy();
    } catch (error) {
      this.ports.log.info(`A turn was not taken up again: ${messageOf(error)}`);
    }
    this.take({ type: 'looked', session, isBusy: this.ports.told.story.isBusy });
  }

  /** The session of the backend, when a turn runs in it. @throws BackendError, ChatError */
  private async foundBusy(): Promise<BackendSession | undefined> {
    const { clock, connection, told } = this.ports;
    const { remoteId } = told.head;
    if (remoteId === undefined) return undefined;
    const late = new AbortController();
    const timer = clock.setTimer(resumeTimeoutMs, () => late.abort());
    try {
      // Before: who follows a session of the backend is who writes what it tells.
      await told.file.claim();
      const signal = AbortSignal.any([this.life.signal, late.signal]);
      const session = await connection.load(remoteId, false, signal, told.story.heard);
      for (let poll = 0; poll < resumePolls && !session.isBusy; poll++) await pause(clock, resumePollMs);
      return session.isBusy ? session : undefined;
    } finally {
      timer.dispose();
    }
  }

  private goOn(): void {
    const { connection, told } = this.ports;
    connection.endHistory();
    told.record({ type: 'resumed' });
    told.notice('info', 'The turn continued while the window was closed. Some messages may be missing.');
  }
}
