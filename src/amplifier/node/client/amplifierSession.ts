import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { AmplifierApiError, isTransportError } from '../../common/apiErrors';
import type { SessionStatus, WorkspaceContext } from '../../common/apiSchema';
import { ApprovalGate } from '../../common/approvalGate';
import type { ContextSource } from '../../common/contextSource';
import { EventLog } from '../../common/eventLog';
import type { AmplifierEvent, ConfigOption, SlashCommand, TokenUsage } from '../../common/events';
import { BackendError, type BackendSession, type PromptInput, type SequencedEvent } from '../../common/sessionBackend';
import { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';
import { answerApproval, secondsLeft } from './approvalAnswer';
import { EventDecoder } from './eventDecoder';
import { EventStream } from './eventStream';
import { PromptSender } from './promptSender';
import { defaultSessionLimits, type SessionLimits } from './sessionLimits';
import { StatusWatch } from './statusWatch';
import { TurnStopper } from './turnStopper';

export interface AmplifierSessionOptions {
  readonly id: string;
  readonly client: AmplifierClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly context: ContextSource;
  /** What the server was told of the editor when it created the session. */
  readonly toldContext?: WorkspaceContext;
  readonly usageIsCumulative: boolean;
  readonly limits?: Partial<SessionLimits>;
  readonly onConnected: () => void;
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  readonly onEnded: () => void;
}

/**
 * One session of an Amplifier server. Its events come over one connection that this object owns; what the connection lost,
 * the session's status makes good as far as it can.
 */
export class AmplifierSession implements BackendSession {
  readonly id: string;
  private readonly store = new DisposableStore();
  private readonly eventLog: EventLog;
  private readonly reconciler: TurnReconciler;
  private readonly decoder: EventDecoder;
  private readonly gate: ApprovalGate;
  private readonly stream: EventStream;
  private readonly watch: StatusWatch;
  private readonly stopper: TurnStopper;
  private readonly sender: PromptSender;
  private configOptions: readonly ConfigOption[] = [];
  private slashCommands: readonly SlashCommand[] = [];
  private isSubmitting = false;
  private hasEnded = false;
  private graceTimer: Disposable | undefined;
  private opened: { resolve: () => void; reject: (error: BackendError) => void } | undefined;

  constructor(private readonly options: AmplifierSessionOptions) {
    const { id, client, clock, random, limits } = options;
    this.id = id;
    this.eventLog = new EventLog(() => new Promise((resolve) => setImmediate(resolve)));
    this.reconciler = new TurnReconciler(id, (event) => this.tell(event));
    this.reconciler.usageIsCumulative = options.usageIsCumulative;
    this.decoder = new EventDecoder(id, options.log, (event) => {
      this.watch.countEvent();
      this.reconciler.handle(event);
    });
    this.gate = this.store.add(
      new ApprovalGate({
        clock,
        answer: (approvalId, option) =>
          answerApproval(client, id, this.reconciler, approvalId, option).catch((error: unknown) => {
            this.watch.check();
            throw error;
          }),
        giveUp: (approvalId) => this.stopUnanswerable(approvalId),
      }),
    );
    this.stream = this.store.add(
      new EventStream({
        ...limits,
        eventsUrl: client.eventsUrl(id),
        webSocketUrl: client.webSocketUrl(id),
        headers: client.headers,
        clock,
        random,
        isExpectingEvents: () => this.reconciler.isTurnOpen,
        handlers: {
          onConnected: () => this.connected(),
          onReconnecting: (attempt, delayMs) => this.reconnecting(attempt, delayMs),
          onMessage: (message) => this.decoder.decode(message),
          onOversize: () => this.reconciler.notice('warning', 'An event of the server was too large and was left out.'),
          onFailed: (error) => this.lost(error),
        },
      }),
    );
    this.watch = this.store.add(
      new StatusWatch({
        ...{ ...defaultSessionLimits, ...limits },
        clock,
        getStatus: () => client.getSession(id),
        isTurnOpen: () => this.reconciler.isTurnOpen && !this.isSubmitting,
        onStatus: (status) => this.reconcile(status),
        onInterrupted: () => this.interrupt('The server ended the turn and the end of the answer did not arrive.'),
        onError: (error) => this.statusFailed(error),
      }),
    );
    this.sender = new PromptSender({
      client,
      sessionId: id,
      clock,
      context: options.context,
      ...(options.toldContext ? { toldContext: options.toldContext } : {}),
      reconciler: this.reconciler,
      refuse: (status) => {
        this.reconcile(status);
        this.refuseIfNotIdle(true);
      },
    });
    this.stopper = new TurnStopper({
      client,
      sessionId: id,
      clock,
      graceMs: limits?.cancelGraceMs ?? defaultSessionLimits.cancelGraceMs,
    });
  }

  get isBusy(): boolean {
    return this.isSubmitting || this.reconciler.isTurnOpen;
  }

  get config(): readonly ConfigOption[] {
    return this.configOptions;
  }

  get commands(): readonly SlashCommand[] {
    return this.slashCommands;
  }

  /** For a session that was used before: the total of its status. */
  setUsageSoFar(total: TokenUsage): void {
    this.reconciler.setUsageSoFar(total);
  }

  /**
   * Resolves when the stream is open, so that no event of the first prompt is missed.
   * @throws BackendError when it cannot be opened; the session is over then
   */
  start(): Promise<void> {
    this.watch.start();
    const opened = new Promise<void>((resolve, reject) => {
      this.opened = { resolve, reject };
    });
    this.stream.start();
    return opened;
  }

  events(options: { afterSequence?: number; signal?: AbortSignal } = {}): AsyncIterable<SequencedEvent> {
    return this.eventLog.read(options);
  }

  async prompt(input: PromptInput): Promise<{ requestId: string }> {
    this.refuseIfNotIdle();
    this.isSubmitting = true;
    try {
      return { requestId: await this.sender.send(input) };
    } catch (error) {
      // The server may have taken it all the same, or be gone for good.
      this.watch.check();
      throw asBackendError(error);
    } finally {
      this.isSubmitting = false;
    }
  }

  async cancel(): Promise<void> {
    if (this.hasEnded || !this.reconciler.isTurnOpen) return;
    // What waits would otherwise run into the server's time-out, which may count as a yes.
    await this.gate.denyAll();
    const outcome = await this.stopper
      .stop(() => !this.reconciler.isTurnOpen)
      .catch((error: unknown) => {
        this.options.log.warn(`session ${this.id}: could not stop the turn: ${messageOf(error)}`);
        return 'unknown' as const;
      });
    this.reconciler.endTurn('cancelled');
    if (outcome === 'turnEnded') return;
    if (outcome === 'unknown') {
      this.reconciler.notice('warning', 'The server could not be told to stop: it may still be working.');
      return;
    }
    this.reconciler.notice(
      'warning',
      'This server cannot stop a single turn: the session was ended, and the agent forgets it. Start a new session.',
    );
    this.end('user_stopped');
  }

  async approve(approvalId: string, option: string): Promise<void> {
    if (this.hasEnded) throw closedError();
    await this.gate.choose(approvalId, option);
  }

  setConfig(): Promise<void> {
    return Promise.reject(
      new BackendError(
        'unsupported',
        'Amplifier fixes the profile and the model when a session begins. Start a new one.',
      ),
    );
  }

  /** Ends the session on the server too; a server that is gone has ended it already. Never rejects. */
  async close(): Promise<void> {
    if (this.hasEnded) return;
    await this.gate.denyAll();
    await this.options.client
      .deleteSession(this.id)
      .catch((error: unknown) => this.options.log.debug(`could not end session ${this.id}: ${messageOf(error)}`));
    this.end('user_stopped');
  }

  /** Lets go of the session and leaves it running on the server, from where it can be loaded again. */
  dispose(): void {
    if (this.hasEnded) return;
    this.reconciler.endTurn('interrupted');
    this.finish();
  }

  private refuseIfNotIdle(isSubmitting = false): void {
    if (this.hasEnded) throw closedError();
    if (this.reconciler.isAwaitingApproval) {
      throw new BackendError('busy', 'The agent waits for your approval. Answer it first, or stop the turn.');
    }
    if (isSubmitting ? this.reconciler.isTurnOpen : this.isBusy) {
      throw new BackendError('busy', 'The agent is still working. Wait for it, or stop the turn.');
    }
  }

  private stopUnanswerable(approvalId: string): void {
    this.options.log.warn(`no listed option denies approval ${approvalId}: stopping the turn`);
    void this.cancel().catch((error: unknown) => this.options.log.error('could not stop the turn', error));
  }

  // The stream

  private connected(): void {
    this.graceTimer?.dispose();
    this.graceTimer = undefined;
    this.options.onConnected();
    this.opened?.resolve();
    this.opened = undefined;
    this.watch.check();
  }

  private reconnecting(attempt: number, delayMs: number): void {
    this.options.log.info(`session ${this.id}: connecting again in ${delayMs} ms (attempt ${attempt})`);
    this.options.onReconnecting(attempt, delayMs);
    const graceMs = this.options.limits?.reconnectGraceMs ?? defaultSessionLimits.reconnectGraceMs;
    this.graceTimer ??= this.options.clock.setTimer(graceMs, () =>
      this.interrupt('The connection to the server was lost in this turn.'),
    );
  }

  /** There is no stream any more, nor will there be one. */
  private lost(error: AmplifierApiError): void {
    const failure = error.toBackendError();
    this.opened?.reject(failure);
    this.opened = undefined;
    this.giveUp(error, 'stream_failed');
  }

  // The session's status

  private reconcile(status: SessionStatus): void {
    switch (status.status) {
      case 'idle':
        this.reconciler.approvalsGone();
        return;
      case 'processing':
        this.reconciler.approvalsGone();
        this.reconciler.adoptTurn();
        return;
      case 'awaiting_approval':
        if (status.pending_approval) {
          this.reconciler.rebuildApproval(status.pending_approval, secondsLeft(status, this.options.clock.now()));
        } else {
          this.reconciler.adoptTurn();
        }
        return;
      case 'error':
        if (this.reconciler.isTurnOpen) {
          this.reconciler.fail('The session failed on the server. Start a new one; the transcript is kept.');
        }
        {
          this.end('error');
          return;
        }
      case 'stopped': {
        this.end('stopped');
        return;
      }
    }
  }

  private statusFailed(error: unknown): void {
    if (error instanceof AmplifierApiError && error.code === 'SESSION_NOT_FOUND') {
      this.giveUp(error, 'server_restarted');
    } else if (isTransportError(error)) {
      this.stream.reconnect();
    }
  }

  private interrupt(message: string): void {
    if (!this.reconciler.isTurnOpen) return;
    this.reconciler.notice('warning', `${message} The answer may be incomplete.`);
    this.reconciler.endTurn('interrupted');
  }

  private giveUp(error: AmplifierApiError, reason: string): void {
    if (this.hasEnded) return;
    const isRestart = error.code === 'SESSION_NOT_FOUND';
    const message = isRestart
      ? 'The server does not know this session any more: it was restarted, or the session was ended elsewhere. ' +
        'Start a new session; the transcript is kept.'
      : error.toBackendError().message;
    this.reconciler.fail(message, error.code);
    this.end(isRestart ? 'server_restarted' : reason);
  }

  // The end

  private tell(event: AmplifierEvent): void {
    this.eventLog.append(event);
    switch (event.event) {
      case 'approval:required': {
        this.gate.open(event.data);
        return;
      }
      case 'approval:granted':
      case 'approval:denied': {
        this.gate.close(event.data.approval_id);
        return;
      }
      case 'config:update':
        this.configOptions = event.data.options;
        return;
      case 'commands:update':
        this.slashCommands = event.data.commands;
        return;
      case 'prompt:complete': {
        this.stopper.turnEnded();
        return;
      }
      case 'error':
        this.stopper.turnEnded();
        // The server that exists is dead after a failure, others are not.
        {
          this.watch.check();
          return;
        }
      case 'session:end': {
        this.finish();
        return;
      }
      default:
        return;
    }
  }

  private end(reason: string): void {
    if (!this.hasEnded) this.reconciler.end(reason);
  }

  private finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.opened?.reject(closedError());
    this.opened = undefined;
    this.graceTimer?.dispose();
    this.store.dispose();
    this.stopper.turnEnded();
    this.eventLog.end();
    this.options.onEnded();
  }
}

function closedError(): BackendError {
  return new BackendError('closed', 'This session has ended. Start a new one; the transcript is kept.');
}

function asBackendError(error: unknown): unknown {
  return error instanceof AmplifierApiError ? error.toBackendError() : error;
}
