import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { AmplifierApiError } from '../../common/apiErrors';
import type { PendingApproval, SessionStatus } from '../../common/apiSchema';
import { ApprovalAge, secondsToAnswer } from '../../common/approvalDeadline';
import { ApprovalGate } from '../../common/approvalGate';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { BackendError } from '../../../session/common/sessionBackend';
import type { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';

const goneCodes: ReadonlySet<string> = new Set(['NO_PENDING_APPROVAL', 'APPROVAL_TIMEOUT']);
/** In which the event of a request that the status told may still come, or a new connection tell what is shown. */
const backlogMs = 250;
/** A denial that hangs must leave time for another one. */
const denyTimeoutMs = 3000;

interface SessionApprovalsOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly reconciler: TurnReconciler;
  /** An answer did not arrive, or was not taken. */
  readonly onFailed: () => void;
  /** A request, shown or left, must be denied, and nothing listed denies. */
  readonly giveUp: (approvalId: string, isLeft: boolean) => Promise<void>;
  /** How long the status may be unclear before that counts; `look` asks for it again. */
  readonly settleMs: number;
  readonly look: () => void;
  /** Something waits, nobody says what, and so nothing can be sent to deny it. */
  readonly onUnclear: () => void;
}

/** The requests of one session: how long each may be answered, what is sent for an answer, and that none is left to itself. */
export class SessionApprovals {
  readonly gate: ApprovalGate;
  private readonly age: ApprovalAge;
  /** Since the status was unclear for the first time. */
  private unclearSinceMs: number | undefined;
  private lookTimer: Disposable | undefined;
  private sealTimer: Disposable | undefined;
  private isNewlyConnected = false;

  constructor(private readonly options: SessionApprovalsOptions) {
    const { clock, giveUp } = options;
    this.age = new ApprovalAge(clock);
    this.gate = new ApprovalGate({
      clock,
      giveUp,
      answer: (id, option, isDenial) => this.answer(id, option, isDenial),
      onTimedOut: (id) => this.options.reconciler.approvalTimedOut(id),
    });
  }

  /** Something came over the stream. */
  heard(): void {
    this.age.heard();
  }

  /** The session is new, or its status was asked for at `askedAtMs`. */
  noneBefore(askedAtMs: number): void {
    this.age.noneBefore(askedAtMs);
  }

  /** For a session that ran before: a request that waits began with its last activity. */
  resume({ status, last_activity: lastActivity }: SessionStatus, askedAtMs: number): void {
    this.age.noneBefore(status === 'awaiting_approval' ? Date.parse(lastActivity ?? '') : askedAtMs);
  }

  /** The event with the time that is left to answer, in seconds. */
  timed(event: SessionEvent): SessionEvent {
    if (event.event !== 'approval:required') return event;
    const timeout = secondsToAnswer(event.data.timeout, this.age.ofRequest(event.data['timestamp']));
    return { event: event.event, data: { ...event.data, timeout } };
  }

  /** A request of the status, which the stream may not have told. */
  rebuild(pending: PendingApproval, { last_activity: lastActivity }: SessionStatus): void {
    const ageMs = this.age.ofRequest(pending['timestamp']) ?? this.ageSince(lastActivity);
    const { isNewlyConnected } = this;
    const { reconciler } = this.options;
    this.clear();
    reconciler.rebuildApproval(pending, secondsToAnswer(pending.timeout, ageMs));
    if (isNewlyConnected) reconciler.expectApprovalsAgain(true);
    this.sealSoon();
  }

  /** There is a new connection, on which a server may tell what waits again, before or after its status is known. */
  connected(): void {
    this.isNewlyConnected = true;
    this.options.reconciler.expectApprovalsAgain(true);
    this.sealTimer?.dispose();
    this.sealTimer = undefined;
    this.sealSoon();
  }

  /** The status says that a request waits, and not which, or not what can be answered. Its event may be on the way, or may have been lost. */
  unclear(): void {
    const { reconciler, clock, settleMs, look, onUnclear } = this.options;
    if (reconciler.isAwaitingApproval) {
      this.clear();
      return;
    }
    const nowMs = clock.monotonicNow();
    this.unclearSinceMs ??= nowMs;
    if (nowMs - this.unclearSinceMs >= settleMs) {
      this.clear();
      onUnclear();
      return;
    }
    this.lookTimer?.dispose();
    this.lookTimer = clock.setTimer(settleMs, look);
  }

  /** The status is clear. */
  clear(): void {
    this.isNewlyConnected = false;
    this.unclearSinceMs = undefined;
    this.lookTimer?.dispose();
  }

  /** Nobody will answer any more: what waits is denied for as long as that makes sense. */
  retire(): void {
    this.age.dispose();
    this.clear();
    this.sealTimer?.dispose();
    this.gate.leaveAll();
  }

  private sealSoon(): void {
    const { reconciler, clock } = this.options;
    this.sealTimer ??= clock.setTimer(backlogMs, () => {
      this.sealTimer = undefined;
      reconciler.expectApprovalsAgain(false);
    });
  }

  private ageSince(time: string | undefined): number | undefined {
    const ageMs = this.options.clock.now() - Date.parse(time ?? '');
    return Number.isNaN(ageMs) ? undefined : Math.max(0, ageMs);
  }

  /** @throws BackendError `approvalResolved` when it was answered elsewhere or its time is up, and others as the server says */
  private async answer(id: string, option: string, isDenial: boolean): Promise<void> {
    const { client, sessionId, reconciler, onFailed } = this.options;
    try {
      const body = reconciler.approvalAnswer(id, option);
      if (!isDenial) await this.ensureStillWaiting(id);
      await client.approve(sessionId, body, isDenial ? denyTimeoutMs : undefined);
      reconciler.approvalAnswered(id, option);
    } catch (error) {
      onFailed();
      if (!(error instanceof AmplifierApiError)) throw error;
      if (error.httpStatus !== 409 && !goneCodes.has(error.code)) throw error.toBackendError();
      reconciler.approvalExpired(id, 'answered_elsewhere');
      const message = 'This was answered already, or its time is up.';
      throw new BackendError('approvalResolved', message, error.code, { cause: error });
    }
  }

  /** The API answers whatever waits now: an allowance must not go to another request than the user saw. */
  private async ensureStillWaiting(id: string): Promise<void> {
    const { client, sessionId, reconciler } = this.options;
    const { status, pending_approval: pending } = await client.getSession(sessionId);
    if (pending === 'unreadable' || (!pending && status === 'awaiting_approval')) {
      const message =
        'The server does not say clearly which request waits: nothing was sent. Deny it, or stop the turn.';
      throw new BackendError('protocol', message);
    }
    const answered = pending ? reconciler.judgeApproval(id, pending) : 'gone';
    if (answered === 'meant') return;
    if (answered === 'later') {
      throw new BackendError('busy', 'The agent asked for something else before. Answer that first.');
    }
    throw new AmplifierApiError('NO_PENDING_APPROVAL', 'Another request waits now', 400);
  }
}
