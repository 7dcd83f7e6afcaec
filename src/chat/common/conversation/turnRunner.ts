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
  /** Called when the turn has ended for any reason. */
  readonly onEnd: () => void;
  /** Called when a prompt was not accepted. */
  readonly onWithdrawn: (promptId: string) => void;
}

/** A pending call of `run`. */
interface Sender extends Pick<PromiseWithResolvers<undefined>, 'resolve' | 'reject'> {
  readonly abort: AbortController;
}

const resumeTimeoutMs = 10_000;
const resumePollMs = 100;
const resumePolls = 25;

/** Runs the state machine of turns: performs the effects, and feeds their results back as inputs. */
export class TurnRunner {
  private current: TurnPhase = { kind: 'idle' };
  private readonly senders = new Map<string, Sender>();
  /** Settles when the last cancellation or check has finished. */
  private ending: Promise<void> = Promise.resolve();
  private readonly life = new AbortController();

  constructor(private readonly ports: TurnRunnerPorts) {}

  get phase(): TurnPhase {
    return this.current;
  }

  /** Whether a new prompt has to be queued. */
  get isBusy(): boolean {
    return this.ports.told.story.isBusy || hasPrompt(this.current);
  }

  /** Resolves when the backend has accepted the prompt, or the user has stopped it. @throws BackendError */
  async run(prompt: QueuedPrompt): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<undefined>();
    this.senders.set(prompt.id, { resolve, reject, abort: new AbortController() });
    this.take({ type: 'prompt', prompt });
    await promise;
  }

  /** Ends the turn in the transcript immediately, and in the backend before it resolves. Never rejects. */
  async stop(): Promise<void> {
    const { connection, told } = this.ports;
    this.take({ type: 'stop', isBusy: told.story.isBusy, session: connection.session });
    await this.ending;
  }

  /** Checks whether a turn that was interrupted when its window closed still runs in the backend. */
  resume(): void {
    const { head, story } = this.ports.told;
    const isLeft = story.lastEnd?.outcome === 'interrupted' && head.remoteId !== undefined;
    if (isLeft) this.take({ type: 'resume' });
  }

  ended(): void {
    this.take({ type: 'ended' });
  }

  /** Call when the session has ended in the backend. */
  lost(): void {
    const { isBusy, isStopping } = this.ports.told.story;
    this.take({ type: 'lost', isBusy, isSettling: isStopping });
  }

  /** @throws BackendError */
  async connect(): Promise<BackendSession> {
    return await this.ports.delivery.connect(this.life.signal);
  }

  /** Withdraws a prompt that was not sent yet, and refuses new ones. */
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
        // Withdrawing puts back a prompt that came from the queue.
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
      this.ports.log.info(`Cannot resume a turn: ${messageOf(error)}`);
    }
    this.take({ type: 'looked', session, isBusy: this.ports.told.story.isBusy });
  }

  /** Returns the session if a turn runs in it. @throws BackendError, ChatError */
  private async foundBusy(): Promise<BackendSession | undefined> {
    const { clock, connection, told } = this.ports;
    const { remoteId } = told.head;
    if (remoteId === undefined) return undefined;
    const late = new AbortController();
    const timer = clock.setTimer(resumeTimeoutMs, () => late.abort());
    try {
      // Claim first: only the window that writes the conversation may follow its session.
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
