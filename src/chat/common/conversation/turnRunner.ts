import { BackendError, isBackendError, type BackendSession } from '../../../session/common/sessionBackend';
import { whenTurnEnds } from '../../../session/common/sessionTurn';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from './conversation';
import type { PromptDelivery } from './promptDelivery';
import type { BackendConnection } from './backendConnection';
import {
  hasActivePrompt,
  nextPhase,
  type PreparedPrompt,
  type TurnEffect,
  type TurnInput,
  type TurnPhase,
} from './turnPhase';

interface TurnRunnerPorts {
  readonly conversation: Conversation;
  readonly connection: BackendConnection;
  readonly delivery: PromptDelivery;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onEnd: () => void;
  /** Called when the turn of another client has ended for which a prompt was queued. */
  readonly onOthersTurnEnd: () => void;
  /** Called when a prompt was withdrawn because it was not accepted. */
  readonly onWithdrawn: (promptId: string) => void;
}

interface PendingRun extends Pick<PromiseWithResolvers<undefined>, 'resolve' | 'reject'> {
  readonly abort: AbortController;
}

const resumeTimeoutMs = 10_000;

/** Runs the state machine of turns: performs the effects and passes their results back as inputs. */
export class TurnRunner {
  private currentPhase: TurnPhase = { kind: 'idle' };
  private readonly pendingRuns = new Map<string, PendingRun>();
  /** Resolves when the last cancellation or check has finished. */
  private pendingCancelOrCheck: Promise<void> = Promise.resolve();
  private readonly lifetimeController = new AbortController();

  constructor(private readonly ports: TurnRunnerPorts) {}

  get phase(): TurnPhase {
    return this.currentPhase;
  }

  /** Whether a prompt is being sent or answered. */
  get hasActivePrompt(): boolean {
    return hasActivePrompt(this.currentPhase);
  }

  /** Whether a new prompt must be queued. */
  get isBusy(): boolean {
    return this.ports.conversation.transcript.isBusy || this.hasActivePrompt;
  }

  /** Runs a turn. Resolves when the backend has accepted the prompt or the user has stopped it. @throws BackendError */
  async run(prompt: QueuedPrompt): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<undefined>();
    this.pendingRuns.set(prompt.id, { resolve, reject, abort: new AbortController() });
    this.dispatch({ type: 'prompt', prompt });
    await promise;
  }

  /** Ends the turn immediately in the transcript, and then in the backend. Never rejects. */
  async stop(): Promise<void> {
    const { connection, conversation } = this.ports;
    const { session } = connection;
    const isActing = session !== undefined && session.turn !== 'none';
    this.dispatch({ type: 'stop', isBusy: conversation.transcript.isBusy, isActing, session });
    await this.pendingCancelOrCheck;
  }

  /** Withdraws the prompt that was not sent yet. Its text goes back to the composer. */
  withdraw(): void {
    const phase = this.currentPhase;
    if (phase.kind !== 'connecting') return;
    const { id: promptId } = phase.prompt;
    const abort = this.pendingRuns.get(promptId)?.abort;
    const error = new BackendError('cancelled', 'The prompt was not sent.');
    this.dispatch({ type: 'refused', promptId, error, isUnseen: true, isOthersTurn: false });
    abort?.abort();
  }

  /** Resolves when the backend has confirmed the stop, or cancelling has failed. Undefined without a stop. */
  whenAgentStopped(): Promise<void> | undefined {
    // The result waits one step, because the effect that cancels the turn runs after the one that ends it.
    return this.currentPhase.kind === 'stopping' ? Promise.resolve().then(() => this.pendingCancelOrCheck) : undefined;
  }

  /** Checks whether a turn that was interrupted when its window closed is still running in the backend. */
  resumeTurnIfStillRunning(): void {
    const { head, transcript } = this.ports.conversation;
    const isLeft = transcript.lastEnd?.outcome === 'interrupted' && head.remoteId !== undefined;
    if (isLeft) this.dispatch({ type: 'resume' });
  }

  handleTurnEnd(): void {
    this.dispatch({ type: 'ended' });
  }

  handleSessionLoss(): void {
    const { isBusy, isStopping } = this.ports.conversation.transcript;
    this.dispatch({ type: 'lost', isBusy, isSettling: isStopping });
  }

  /** Connects to the session without sending a prompt. @throws BackendError */
  async connect(): Promise<BackendSession> {
    return await this.ports.delivery.connect(this.lifetimeController.signal);
  }

  /** Withdraws a prompt that was not sent yet, and refuses further prompts. */
  close(): void {
    this.lifetimeController.abort();
    this.dispatch({ type: 'close' });
  }

  private dispatch(input: TurnInput): void {
    const before = this.currentPhase;
    const { effects, phase } = nextPhase(before, input);
    this.currentPhase = phase;
    for (const effect of effects) this.performEffect(effect);
    if (phase !== before) this.ports.conversation.changeEmitter.fire();
  }

  private performEffect(effect: TurnEffect): void {
    const { conversation } = this.ports;
    switch (effect.type) {
      case 'begin':
        conversation.addPrompt(effect.prompt);
        return;
      case 'record':
        conversation.addRecord(effect.record);
        return;
      case 'connect':
        void this.prepareDelivery(effect.prompt);
        return;
      case 'send':
        void this.sendDelivery(effect.promptId, effect.delivery);
        return;
      case 'abort':
        this.pendingRuns.get(effect.promptId)?.abort.abort();
        return;
      case 'cancel':
        this.pendingCancelOrCheck = this.cancelTurn(effect.session);
        return;
      case 'check':
        this.pendingCancelOrCheck = this.checkIfRunning();
        return;
      case 'reopen':
        this.reopenTurn();
        return;
      case 'recordSessionLoss':
        conversation.recordSessionLoss();
        return;
      case 'withdraw':
        conversation.addRecord({ type: 'withdrawn', id: effect.promptId });
        if (effect.isFailure) conversation.markFailed();
        this.ports.onWithdrawn(effect.promptId);
        return;
      case 'queue':
        conversation.addRecord({ type: 'withdrawn', id: effect.prompt.id });
        // A withdrawn prompt that came from the queue is already back in the queue.
        if (!conversation.queue.get(effect.prompt.id))
          conversation.addRecord({ type: 'queued', ...effect.prompt, isNext: true });
        return;
      case 'end':
        this.ports.onEnd();
        return;
      case 'answer':
        this.settleRun(effect.promptId, effect.error);
    }
  }

  private settleRun(promptId: string, error: BackendError | undefined): void {
    const sender = this.pendingRuns.get(promptId);
    this.pendingRuns.delete(promptId);
    if (error) sender?.reject(error);
    else sender?.resolve(undefined);
  }

  private abortSignalOf(promptId: string): AbortSignal {
    return this.pendingRuns.get(promptId)?.abort.signal ?? this.lifetimeController.signal;
  }

  private async prepareDelivery(prompt: QueuedPrompt): Promise<void> {
    const { id: promptId } = prompt;
    try {
      const delivery = await this.ports.delivery.prepare(prompt, this.abortSignalOf(promptId));
      this.dispatch({ type: 'connected', promptId, delivery });
    } catch (error) {
      this.handleRefusal(promptId, error);
    }
  }

  private async sendDelivery(promptId: string, delivery: PreparedPrompt): Promise<void> {
    try {
      await this.ports.delivery.send(promptId, delivery, this.abortSignalOf(promptId));
      this.dispatch({ type: 'accepted', promptId });
    } catch (error) {
      this.handleRefusal(promptId, error);
    }
  }

  private handleRefusal(promptId: string, thrown: unknown): void {
    const error = isBackendError(thrown)
      ? thrown
      : new BackendError('backend', messageOf(thrown), undefined, { cause: thrown });
    const { connection, conversation } = this.ports;
    const { session } = connection;
    const isOthersTurn = error.code === 'busy' && session?.turn === 'other';
    this.dispatch({ type: 'refused', promptId, error, isUnseen: conversation.transcript.isStarting, isOthersTurn });
    if (isOthersTurn) void this.waitForOthers(session);
  }

  /** Never rejects. If the user stops the turn, the queue is held back. */
  private async waitForOthers(session: BackendSession): Promise<void> {
    await whenTurnEnds(session, this.lifetimeController.signal).catch(() => undefined);
    if (this.currentPhase.kind === 'idle') this.ports.onOthersTurnEnd();
  }

  /** Asks the backend to end the turn. Never rejects. */
  private async cancelTurn(session: BackendSession): Promise<void> {
    try {
      await session.cancel();
    } catch (error) {
      this.ports.conversation.addNotice('warning', `The agent could not be stopped: ${messageOf(error)}`);
    }
    this.dispatch({ type: 'cancelled' });
  }

  /** Checks whether the turn is still running. Never rejects. */
  private async checkIfRunning(): Promise<void> {
    let session: BackendSession | undefined;
    try {
      session = await this.loadIfBusy();
    } catch (error) {
      this.ports.log.info(`Cannot resume a turn: ${messageOf(error)}`);
    }
    this.dispatch({ type: 'checked', session, isBusy: this.ports.conversation.transcript.isBusy });
  }

  /** Returns the session if a turn is running in it. @throws BackendError, ChatError */
  private async loadIfBusy(): Promise<BackendSession | undefined> {
    const { clock, connection, conversation } = this.ports;
    const { remoteId } = conversation.head;
    if (remoteId === undefined) return undefined;
    const late = new AbortController();
    const timer = clock.setTimer(resumeTimeoutMs, () => late.abort());
    try {
      // The claim comes first, because only the window that writes to the conversation may follow its session.
      await conversation.file.claim();
      const signal = AbortSignal.any([this.lifetimeController.signal, late.signal]);
      const session = await connection.loadSession(remoteId, false, signal, conversation.transcript.answerText);
      return session.turn === 'none' ? undefined : session;
    } finally {
      timer.dispose();
    }
  }

  private reopenTurn(): void {
    const { connection, conversation } = this.ports;
    connection.endHistory();
    conversation.addRecord({ type: 'resumed' });
    conversation.addNotice('info', 'The turn continued while the window was closed. Some messages may be missing.');
  }
}
