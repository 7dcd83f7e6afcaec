import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { AmplifierApiError, isTransportError } from '../../common/apiErrors';
import type { SessionStatus, WorkspaceContext } from '../../common/apiSchema';
import type { ContextSource } from '../../common/contextSource';
import { EventLog } from '../../common/eventLog';
import type { AmplifierEvent, ConfigOption, SlashCommand } from '../../common/events';
import { BackendError, type BackendSession, type PromptInput, type SequencedEvent } from '../../common/sessionBackend';
import { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';
import { EventDecoder } from './eventDecoder';
import { EventStream } from './eventStream';
import { PromptSender } from './promptSender';
import { SessionApprovals } from './sessionApprovals';
import { defaultSessionLimits, type SessionLimits } from './sessionLimits';
import { applyStatus } from './sessionStatus';
import { StatusWatch } from './statusWatch';
import { TurnStopper, type StopOutcome } from './turnStopper';

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
  /** `denials` are what is still under way then: it settles by itself; dispose it to give them up. */
  readonly onEnded: (denials: PendingDenials) => void;
}

export interface PendingDenials extends Disposable {
  whenSettled(): Promise<void>;
}

/**
 * One session of an Amplifier server. Its events come over one connection that this object owns; what the connection lost,
 * the session's status makes good as far as it can.
 */
export class AmplifierSession implements BackendSession {
  readonly id: string;
  private readonly store = new DisposableStore();
  private readonly limits: typeof defaultSessionLimits;
  private readonly eventLog: EventLog;
  private readonly reconciler: TurnReconciler;
  private readonly decoder: EventDecoder;
  private readonly approvals: SessionApprovals;
  private readonly stream: EventStream;
  private readonly watch: StatusWatch;
  private readonly stopper: TurnStopper;
  private readonly sender: PromptSender;
  private configOptions: readonly ConfigOption[] = [];
  private slashCommands: readonly SlashCommand[] = [];
  private hasEnded = false;
  private graceTimer: Disposable | undefined;
  private opened: { resolve: () => void; reject: (error: BackendError) => void } | undefined;

  constructor(private readonly options: AmplifierSessionOptions) {
    const { id, client, clock, random, limits } = options;
    this.id = id;
    this.eventLog = new EventLog(() => new Promise((resolve) => setImmediate(resolve)));
    this.limits = { ...defaultSessionLimits, ...limits };
    this.reconciler = new TurnReconciler(
      id,
      (event) => this.tell(event),
      (approvalId) => this.approvals.gate.leave(approvalId),
    );
    this.reconciler.usage.isCumulative = options.usageIsCumulative;
    this.decoder = new EventDecoder(id, options.log, (event) => {
      // A start is told on every connection, and says nothing of a turn.
      if (event.event !== 'session:start') this.watch.countEvent();
      this.reconciler.handle(this.approvals.timed(event));
    });
    this.approvals = new SessionApprovals({
      client,
      sessionId: id,
      clock,
      reconciler: this.reconciler,
      onFailed: () => this.watch.check(),
      giveUp: (approvalId, isLeft) => this.stopUnanswerable(approvalId, isLeft),
    });
    this.stream = this.store.add(
      new EventStream({
        ...limits,
        eventsUrl: client.eventsUrl(id),
        webSocketUrl: client.webSocketUrl(id),
        headers: client.headers,
        redact: (text) => client.redactor.json(text),
        clock,
        random,
        isExpectingEvents: () => this.reconciler.isTurnOpen,
        handlers: {
          onConnected: () => this.connected(),
          onReconnecting: (attempt, delayMs) => this.reconnecting(attempt, delayMs),
          onActivity: () => this.approvals.heard(),
          onMessage: (message) => this.decoder.decode(message),
          onOversize: () => this.reconciler.notice('warning', 'An event of the server was too large and was left out.'),
          onFailed: (error) => this.lost(error),
        },
      }),
    );
    this.watch = this.store.add(
      new StatusWatch({
        ...this.limits,
        clock,
        getStatus: (signal) => this.getStatus(signal),
        isTurnOpen: () => this.reconciler.isTurnOpen && !this.sender.isSending,
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
      readStatus: (signal) => this.watch.read(signal),
      refuse: () => this.refuseIfNotIdle(true),
      onTakenLate: () => void this.cancel(),
    });
    this.stopper = new TurnStopper({
      client,
      sessionId: id,
      clock,
      graceMs: this.limits.cancelGraceMs,
    });
  }

  get isBusy(): boolean {
    return this.sender.isSending || this.reconciler.isTurnOpen;
  }

  get config(): readonly ConfigOption[] {
    return this.configOptions;
  }

  get commands(): readonly SlashCommand[] {
    return this.slashCommands;
  }

  /** For a session that ran before it was opened here; its status was asked for at `askedAtMs`. */
  resume(status: SessionStatus, askedAtMs: number): void {
    if (status.token_usage) this.reconciler.usage.startFrom(status.token_usage);
    this.approvals.resume(status, askedAtMs);
  }

  /** For a session that was made just now. */
  begin(): void {
    this.approvals.noneBefore(this.options.clock.now());
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
    try {
      return { requestId: await this.sender.send(input) };
    } catch (error) {
      // The server may have taken it all the same, or be gone for good.
      this.watch.check();
      throw asBackendError(error);
    }
  }

  async cancel(): Promise<void> {
    if (this.hasEnded || !this.isBusy) return;
    const outcome = await withDeadline(
      this.options.clock,
      'Stopping the turn',
      this.limits.cancelTimeoutMs,
      (signal): Promise<StopOutcome | 'nothing'> => this.stopTurn(signal),
    ).catch((error: unknown) => {
      this.options.log.warn(`session ${this.id}: could not stop the turn: ${messageOf(error)}`);
      return 'unknown' as const;
    });
    if (outcome === 'nothing') return;
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
    await this.approvals.gate.choose(approvalId, option);
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
    const { client, clock, log } = this.options;
    await withDeadline(clock, 'Ending the session', this.limits.closeTimeoutMs, async (signal) => {
      await this.approvals.gate.denyAll();
      await client.deleteSession(this.id, signal);
    }).catch((error: unknown) => log.debug(`could not end session ${this.id}: ${messageOf(error)}`));
    this.end('user_stopped');
  }

  /** Lets go of the session and leaves it on the server, from where it can be loaded again; denies what waits there. */
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

  private async stopTurn(signal: AbortSignal): Promise<StopOutcome | 'nothing'> {
    await this.sender.stop();
    if (!this.reconciler.isTurnOpen) return 'nothing';
    // What waits would otherwise run into the server's time-out, which may count as a yes.
    await this.approvals.gate.denyAll();
    return await this.stopper.stop(() => !this.reconciler.isTurnOpen, signal);
  }

  private async stopUnanswerable(approvalId: string, isLeft: boolean): Promise<void> {
    this.options.log.warn(`no listed option denies approval ${approvalId}: stopping the turn`);
    try {
      if (isLeft) await this.stopper.stop(() => false);
      else await this.cancel();
    } catch (error) {
      this.options.log.error('could not stop the turn', error);
    }
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
    this.graceTimer ??= this.options.clock.setTimer(this.limits.reconnectGraceMs, () =>
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

  private async getStatus(signal?: AbortSignal): Promise<SessionStatus> {
    const askedAtMs = this.options.clock.now();
    const status = await this.options.client.getSession(this.id, signal);
    if (status.status !== 'awaiting_approval') this.approvals.noneBefore(askedAtMs);
    return status;
  }

  private reconcile(status: SessionStatus): void {
    const reason = applyStatus(status, this.reconciler, this.approvals);
    if (reason !== undefined) this.end(reason);
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
      case 'approval:required':
        this.approvals.gate.open(event.data);
        return;
      case 'approval:granted':
      case 'approval:denied':
        this.approvals.gate.close(event.data.approval_id);
        return;
      case 'config:update':
        this.configOptions = event.data.options;
        return;
      case 'commands:update':
        this.slashCommands = event.data.commands;
        return;
      case 'prompt:complete':
        this.stopper.turnEnded();
        return;
      case 'error':
        this.stopper.turnEnded();
        // The server that exists is dead after a failure, others are not.
        this.watch.check();
        return;
      case 'session:end':
        this.finish();
        return;
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
    this.approvals.retire();
    this.options.onEnded(this.approvals.gate);
  }
}

function closedError(): BackendError {
  return new BackendError('closed', 'This session has ended. Start a new one; the transcript is kept.');
}

function asBackendError(error: unknown): unknown {
  return error instanceof AmplifierApiError ? error.toBackendError() : error;
}
