import { DisposableStore } from '../../../base/common/disposable';
import { AmplifierApiError, isTransportError } from '../../common/apiErrors';
import type { SessionStatus } from '../../common/apiSchema';
import { EventLog } from '../../../session/common/eventLog';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type PromptInput,
  type SequencedEvent,
} from '../../../session/common/sessionBackend';
import { TurnReconciler } from '../../common/turnReconciler';
import { EventFeed } from './eventFeed';
import { PromptSender } from './promptSender';
import { ReconnectGrace } from './reconnectGrace';
import { SessionApprovals } from './sessionApprovals';
import { defaultSessionLimits } from './sessionLimits';
import { sessionMessages } from './sessionMessages';
import type { AmplifierSessionOptions, PendingDenials } from './sessionOptions';
import { applyStatus } from './sessionStatus';
import { StatusWatch } from './statusWatch';
import { TurnEnding } from './turnEnding';

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
  private readonly approvals: SessionApprovals;
  private readonly feed: EventFeed;
  private readonly grace: ReconnectGrace;
  private readonly watch: StatusWatch;
  private readonly ending: TurnEnding;
  private readonly sender: PromptSender;
  private configOptions: readonly ConfigOption[] = [];
  private slashCommands: readonly SlashCommand[] = [];
  private hasEnded = false;
  private opened: { resolve: () => void; reject: (error: BackendError) => void } | undefined;

  constructor(private readonly options: AmplifierSessionOptions) {
    const { id, client, clock, heard, random, limits } = options;
    this.id = id;
    this.eventLog = new EventLog(() => new Promise((resolve) => setImmediate(resolve)), { heard });
    this.limits = { ...defaultSessionLimits, ...limits };
    this.reconciler = new TurnReconciler(id, (event) => this.tell(event), {
      // Elsewhere somebody may be about to answer it.
      onLeft: (approvalId, failsClosed) => {
        if (!failsClosed || this.reconciler.isTurnOwn) this.approvals.gate.leave(approvalId);
      },
      onSuperseded: () => void this.cancel(),
    });
    this.reconciler.usage.isCumulative = options.usageIsCumulative;
    this.approvals = new SessionApprovals({
      client,
      sessionId: id,
      clock,
      reconciler: this.reconciler,
      onFailed: () => this.watch.check(),
      giveUp: (approvalId, isLeft) => this.stopUnanswerable(approvalId, isLeft),
      settleMs: this.limits.settleMs,
      look: () => this.watch.check(),
      onUnclear: () => this.stopUnclear(),
    });
    this.grace = new ReconnectGrace(clock, this.limits.reconnectGraceMs, () => this.notConnected());
    this.feed = new EventFeed({
      client,
      sessionId: id,
      clock,
      random,
      log: options.log,
      limits,
      isExpectingEvents: () => this.hasEnded || this.reconciler.isTurnOpen,
      onEvent: (event) => this.heard(event),
      // The status may say what waits; where it does not, the turn is stopped.
      onLostApproval: () => this.watch.check(),
      handlers: {
        onConnected: () => this.connected(),
        onLasting: () => this.grace.dispose(),
        onReconnecting: (attempt, delayMs) => this.reconnecting(attempt, delayMs),
        onActivity: () => {
          if (!this.hasEnded) this.approvals.heard();
        },
        onOversize: () => this.notice('warning', 'An event of the server was too large and was left out.'),
        onFailed: (error) => this.lost(error),
      },
    });
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
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      reconciler: this.reconciler,
      readStatus: (signal) => this.watch.read(signal),
      refuse: () => this.refuseIfNotIdle(true),
      onTakenLate: () => void this.cancel(),
    });
    const { limits: allLimits, reconciler, sender, approvals } = this;
    this.ending = new TurnEnding({
      client,
      sessionId: id,
      clock,
      log: options.log,
      limits: allLimits,
      reconciler,
      sender,
      approvals,
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
    for (const event of status.state) this.reconciler.handle(event);
    if (status.last_event_id !== undefined) this.feed.goOnAfter(status.last_event_id);
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
    this.feed.start();
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
    if (await this.ending.cancel()) this.end('user_stopped');
  }

  /** Tells the readers of the session something that no event of the server says. */
  notice(level: 'info' | 'warning' | 'error', message: string): void {
    this.reconciler.notice(level, message);
  }

  async approve(approvalId: string, option: string): Promise<void> {
    if (this.hasEnded) throw closedError();
    await this.approvals.gate.choose(approvalId, option);
  }

  setConfig(): Promise<void> {
    return Promise.reject(
      new BackendError(
        'unsupported',
        'Amplifier fixes the profile and the model when a session begins. Begin a new chat to choose others.',
      ),
    );
  }

  /** Ends the session on the server too; a server that is gone has ended it already. Never rejects. */
  async close(): Promise<void> {
    if (this.hasEnded) return;
    if (!(await this.ending.close())) this.ending.abandon({ isDiscarded: true });
    this.end('user_stopped');
  }

  /**
   * Lets go of the session and leaves it on the server, from where it can be loaded again. A turn that was begun here is
   * stopped, as far as the server lets it be, and denied what it asks for.
   */
  dispose(): void {
    if (this.hasEnded) return;
    if (this.ending.isOwn) {
      this.ending.abandon({ isStopped: true });
      this.notice('warning', sessionMessages.left);
    }
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

  private async stopUnanswerable(approvalId: string, isLeft: boolean): Promise<void> {
    this.options.log.warn(`no listed option denies approval ${approvalId}: stopping the turn`);
    await (isLeft ? this.ending.stopLeft() : this.cancel());
  }

  private stopUnclear(): void {
    this.notice('warning', sessionMessages.unclear);
    void this.cancel();
  }

  private heard(event: SessionEvent): void {
    if (this.hasEnded) {
      this.ending.handle(event);
      return;
    }
    if (this.ending.holds(event)) return;
    // A start is told on every connection, and says nothing of a turn.
    if (event.event !== 'session:start') this.watch.countEvent();
    this.reconciler.handle(this.approvals.timed(event));
  }

  private connected(): void {
    if (this.hasEnded) return;
    this.grace.connected();
    this.ending.dispose();
    this.approvals.connected();
    this.options.onConnected();
    this.opened?.resolve();
    this.opened = undefined;
    this.watch.check();
  }

  private reconnecting(attempt: number, delayMs: number): void {
    if (this.hasEnded) return;
    this.options.log.info(`session ${this.id}: connecting again in ${delayMs} ms (attempt ${attempt})`);
    this.options.onReconnecting(attempt, delayMs);
    this.grace.lost();
  }

  private notConnected(): void {
    if (this.ending.isUnattended) this.ending.abandon({});
    this.interrupt('The connection to the server was lost in this turn.');
  }

  /** There is no stream any more, nor will there be one. */
  private lost(error: AmplifierApiError): void {
    const failure = error.toBackendError();
    this.opened?.reject(failure);
    this.opened = undefined;
    this.giveUp(error, 'stream_failed');
  }

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
      this.feed.reconnect();
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
    const goesOn = !isRestart && this.ending.isUnattended;
    if (goesOn) this.ending.abandon({ isStopped: this.ending.isOwn });
    const message = isRestart ? sessionMessages.restarted : error.toBackendError().message;
    this.reconciler.fail(message, error.code);
    if (goesOn) this.notice('warning', sessionMessages.left);
    this.end(isRestart ? 'server_restarted' : reason);
  }

  private tell(event: SessionEvent): void {
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
        this.ending.turnEnded();
        return;
      case 'error':
        this.ending.turnEnded();
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
    this.grace.dispose();
    this.store.dispose();
    this.ending.turnEnded();
    this.eventLog.end();
    this.approvals.retire();
    this.options.onEnded(this.letGo());
  }

  /** The stream is still read while a turn goes on: it may tell what the status does not. */
  private letGo(): PendingDenials {
    const { ending, feed, approvals } = this;
    const followed = ending.whenSettled().finally(() => feed.dispose());
    if (!ending.isAbandoned) feed.dispose();
    return {
      whenSettled: async () => {
        await Promise.all([approvals.gate.whenSettled(), followed]);
      },
      dispose: () => {
        approvals.gate.dispose();
        ending.dispose();
        feed.dispose();
      },
    };
  }
}

function closedError(): BackendError {
  return new BackendError('closed', sessionMessages.closed);
}

function asBackendError(error: unknown): unknown {
  return error instanceof AmplifierApiError ? error.toBackendError() : error;
}
