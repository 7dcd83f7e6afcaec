import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { TurnReconciler } from '../../common/turnReconciler';
import { AbandonedTurn } from './abandonedTurn';
import type { AmplifierClient } from './amplifierClient';
import type { PromptSender } from './promptSender';
import type { SessionApprovals } from './sessionApprovals';
import type { defaultSessionLimits } from './sessionLimits';
import { sessionMessages } from './sessionMessages';
import { TurnStopper, type StopOutcome } from './turnStopper';

interface TurnEndingOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: typeof defaultSessionLimits;
  readonly reconciler: TurnReconciler;
  readonly sender: PromptSender;
  readonly approvals: SessionApprovals;
}

/** The end of a turn for a reason of this client: it is stopped on the server, and where it goes on there, it is not left alone. */
export class TurnEnding implements Disposable {
  private readonly stopper: TurnStopper;
  private abandoned: AbandonedTurn | undefined;
  /** How many are under way. */
  private cancels = 0;
  private heldEnd: SessionEvent | undefined;

  constructor(private readonly options: TurnEndingOptions) {
    const { client, sessionId, clock, limits } = options;
    this.stopper = new TurnStopper({
      client,
      sessionId,
      clock,
      graceMs: limits.cancelGraceMs,
      endsWithSession: () => !this.isRealServer,
    });
  }

  /** Whether a turn is open that this client began. */
  get isOwn(): boolean {
    const { sender, reconciler } = this.options;
    return sender.isSending || (reconciler.isTurnOpen && reconciler.isTurnOwn);
  }

  /** Whether a turn is open that nobody else is known to answer, or whose server lets all run that nobody answers. */
  get isUnattended(): boolean {
    return this.isOwn || (this.options.reconciler.isTurnOpen && this.isRealServer);
  }

  get isAbandoned(): boolean {
    return this.abandoned !== undefined;
  }

  /**
   * Denies what waits and stops the turn, in one stretch of time, and tells how that went. Resolves with whether the session is
   * over, which is for the caller to tell.
   */
  async cancel(): Promise<boolean> {
    const { clock, limits, log, sessionId, reconciler } = this.options;
    this.cancels++;
    const outcome = await withDeadline(clock, 'Stopping the turn', limits.cancelTimeoutMs, (signal) =>
      this.stop(signal),
    ).catch((error: unknown) => {
      log.warn(`session ${sessionId}: could not stop the turn: ${messageOf(error)}`);
      return 'notStopped' as const;
    });
    this.cancels--;
    if (outcome === 'goesOn') this.abandon({ isDiscarded: true });
    if (outcome !== 'nothing') reconciler.endTurn('cancelled');
    if (outcome !== 'nothing' && outcome !== 'turnEnded') reconciler.notice('warning', sessionMessages[outcome]);
    const isOver = outcome === 'goesOn' || outcome === 'sessionEnded';
    if (!isOver && this.heldEnd) reconciler.handle(this.heldEnd);
    return isOver;
  }

  /** Holds the end of a session that a cancel may have brought about: why it ended is told first. */
  holds(event: SessionEvent): boolean {
    if (event.event !== 'session:end' || this.cancels === 0) return false;
    this.heldEnd = event;
    this.turnEnded();
    return true;
  }

  /** Denies what waits, stops the turn and ends the session, in one stretch of time; resolves with whether that was done. */
  close(): Promise<boolean> {
    const { client, sessionId, clock, limits, log } = this.options;
    return withDeadline(clock, 'Ending the session', limits.closeTimeoutMs, async (signal) => {
      const outcome = await this.stop(signal);
      if (outcome === 'nothing' || outcome === 'turnEnded') await client.deleteSession(sessionId, signal);
      return outcome !== 'goesOn';
    }).catch((error: unknown) => {
      log.debug(`could not end session ${sessionId}: ${messageOf(error)}`);
      return false;
    });
  }

  /** Stops a turn that is told as over already. Never rejects. */
  async stopLeft(): Promise<void> {
    await this.stopper
      .stop(() => false)
      .catch((error: unknown) => this.options.log.error('could not stop the turn', error));
  }

  /** Called before the turn is told as over: it may go on on the server, and what it asks for there is denied. */
  abandon({ isStopped = false, isDiscarded = false }: { isStopped?: boolean; isDiscarded?: boolean }): void {
    const { client, sessionId, clock, log, limits, sender } = this.options;
    this.abandoned?.dispose();
    this.abandoned = new AbandonedTurn({
      client,
      sessionId,
      clock,
      log,
      stop: async () => {
        await sender.settle();
        if (isStopped) await this.stopLeft();
      },
      isDiscarded,
      maxMs: limits.abandonedMs,
    });
    this.abandoned.start();
  }

  /** To be called with what the stream tells of a turn that was abandoned. */
  handle(event: SessionEvent): void {
    this.abandoned?.handle(event);
  }

  /** To be called whenever a turn ends. */
  turnEnded(): void {
    this.stopper.turnEnded();
  }

  /** Resolves when no turn goes on any more that was abandoned. Never rejects. */
  async whenSettled(): Promise<void> {
    await this.abandoned?.whenSettled();
  }

  /** Gives up what was abandoned: it is attended again, or there is no time left. */
  dispose(): void {
    this.abandoned?.dispose();
    this.abandoned = undefined;
  }

  /** The server that exists: the end of a session ends no turn there, and silence is taken for a yes. */
  private get isRealServer(): boolean {
    return this.options.reconciler.usage.isCumulative;
  }

  private async stop(signal: AbortSignal): Promise<StopOutcome | 'nothing'> {
    const { sender, reconciler, approvals } = this.options;
    await sender.stop();
    if (!reconciler.isTurnOpen) return 'nothing';
    // What waits would otherwise run into the server's time-out, which may count as a yes.
    await approvals.gate.denyAll();
    return await this.stopper.stop(() => !reconciler.isTurnOpen, signal);
  }
}
