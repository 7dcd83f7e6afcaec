import type { Clock } from '../../../../base/common/async';
import type { ReceivedApprovalAnswer, SessionStatusName } from '../../../common/api/apiSchema';
import type { SessionEvent, EventData, TokenUsage } from '../../../../session/common/sessionEvents';
import { ApiFailure, documentedFailure } from '../http/apiFailure';
import { formatWireTime } from '../../../common/api/wireTime';

interface Waiting {
  readonly request: EventData<'approval:required'>;
  readonly sinceMs: number;
  /** Time of the request, in milliseconds of the monotonic clock. */
  readonly askedAt: number;
  /** Whether an answer is being sent or has been accepted. */
  isAnswered: boolean;
}

/** Tolerance for timers that fire early, in milliseconds. */
const timerSlackMs = 1000;

/** Counts the events of a session, for the totals in `GET /sessions/{id}`, and tracks the pending approvals. */
export class SessionStatusTracker {
  messageCount = 0;
  readonly tokenUsage: TokenUsage = { input_tokens: 0, output_tokens: 0 };
  hasFailed = false;
  /** Pending approvals, the oldest first. */
  private readonly pendingApprovalById = new Map<string, Waiting>();
  /** Results of the approvals of this turn, the latest last. */
  private readonly approvalOutcomeById = new Map<string, 'answered' | 'timedOut'>();

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonicNow'>) {}

  trackEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'prompt:submit':
        this.messageCount++;
        this.hasFailed = false;
        this.approvalOutcomeById.clear();
        break;
      case 'prompt:complete':
        this.messageCount++;
        this.tokenUsage.input_tokens += event.data.token_usage?.input_tokens ?? 0;
        this.tokenUsage.output_tokens += event.data.token_usage?.output_tokens ?? 0;
        break;
      case 'error':
        this.hasFailed = true;
        break;
      case 'approval:required':
        this.pendingApprovalById.set(event.data.approval_id, {
          request: event.data,
          sinceMs: this.clock.now(),
          askedAt: this.clock.monotonicNow(),
          isAnswered: false,
        });
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.closeApproval(event.data.approval_id);
        break;
      default:
    }
  }

  statusOf(turn: { readonly isBusy: boolean; readonly isBackendDown: boolean }): SessionStatusName {
    if (this.pendingApprovalById.size > 0) return 'awaiting_approval';
    if (turn.isBusy) return 'processing';
    // After a failed turn, the session still accepts prompts unless its backend is down.
    return this.hasFailed && turn.isBackendDown ? 'error' : 'idle';
  }

  /** The oldest pending approval. `timestamp` is the time at which its `timeout` started. */
  get oldestPendingApproval(): object | null {
    const [oldest] = this.pendingApprovalById.values();
    return oldest ? { ...oldest.request, timestamp: formatWireTime(oldest.sinceMs) } : null;
  }

  /** All open approvals, the oldest first. */
  get pendingApprovals(): EventData<'approval:required'>[] {
    return [...this.pendingApprovalById.values()].map(({ request }) => request);
  }

  /** Open approvals that have no answer yet, the oldest first. */
  get unansweredApprovals(): EventData<'approval:required'>[] {
    return [...this.pendingApprovalById.values()].flatMap(({ isAnswered, request }) => (isAnswered ? [] : request));
  }

  /**
   * Finds the approval to which an answer belongs: the named one, or else the oldest. Marks it as answered.
   * @throws ApiFailure 400 if no approval is pending or the answer is not an option, 409 if the approval was answered
   * or has timed out
   */
  beginAnswer({ decision, approval_id: id }: ReceivedApprovalAnswer): EventData<'approval:required'> {
    const waiting =
      id === undefined ? this.pendingApprovalById.values().next().value : this.pendingApprovalById.get(id);
    if (!waiting) throw this.notPendingFailure(id ?? [...this.approvalOutcomeById.keys()].at(-1));
    const { approval_id, options } = waiting.request;
    if (waiting.isAnswered) throw answeredAlready(approval_id);
    if (!options.includes(decision)) {
      const message = `decision: Answer with one of: ${options.join(', ')}.`;
      throw documentedFailure('APPROVAL_INVALID', message, { field: 'decision', approval_id, options });
    }
    waiting.isAnswered = true;
    return waiting.request;
  }

  cancelAnswer(approvalId: string): void {
    const waiting = this.pendingApprovalById.get(approvalId);
    if (waiting) waiting.isAnswered = false;
  }

  /** Whether a client has answered the approval. False if it has timed out or the turn has ended. */
  isAnswered(approvalId: string): boolean {
    return this.pendingApprovalById.get(approvalId)?.isAnswered === true;
  }

  private closeApproval(id: string): void {
    const waiting = this.pendingApprovalById.get(id);
    if (!waiting) return;
    this.pendingApprovalById.delete(id);
    const { timeout = Infinity } = waiting.request;
    const isLate = this.clock.monotonicNow() - waiting.askedAt >= timeout * 1000 - timerSlackMs;
    this.approvalOutcomeById.set(id, isLate && !waiting.isAnswered ? 'timedOut' : 'answered');
  }

  private notPendingFailure(id: string | undefined): ApiFailure {
    const how = id === undefined ? undefined : this.approvalOutcomeById.get(id);
    if (how === 'timedOut') {
      return new ApiFailure(409, 'APPROVAL_TIMEOUT', 'The approval timed out and was denied.', { approval_id: id });
    }
    if (how && id !== undefined) return answeredAlready(id);
    return documentedFailure(
      'APPROVAL_INVALID',
      'No approval is pending.',
      id === undefined ? {} : { approval_id: id },
    );
  }
}

function answeredAlready(approvalId: string): ApiFailure {
  const message = 'The approval was already answered, or its turn has ended.';
  return new ApiFailure(409, 'APPROVAL_RESOLVED', message, { approval_id: approvalId });
}
