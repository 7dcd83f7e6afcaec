import type { Clock } from '../../../../base/common/async';
import type { ApprovalRequest, SessionStatusName } from '../../../common/api/apiSchema';
import type { SessionEvent, EventData, TokenUsage } from '../../../../session/common/sessionEvents';
import { ApiFailure, documented } from '../http/apiFailure';
import { wireTime } from '../../../common/api/wireTime';

interface Waiting {
  readonly request: EventData<'approval:required'>;
  /** The time of day, to be shown. */
  readonly sinceMs: number;
  /** In milliseconds of the monotonic clock. */
  readonly askedAt: number;
  /** An answer is on its way to the backend, or has arrived there. */
  isAnswered: boolean;
}

/** Timers may fire a little before the clock says so. */
const timerSlackMs = 1000;

/** What the events of a session add up to: what `GET /sessions/{id}` tells of it, and what waits for an answer. */
export class SessionAccount {
  messageCount = 0;
  readonly tokenUsage: TokenUsage = { input_tokens: 0, output_tokens: 0 };
  /** The last turn ended by a failure. */
  hasFailed = false;
  /** Oldest first. */
  private readonly waiting = new Map<string, Waiting>();
  /** How the questions of this turn ended, the latest last. */
  private readonly resolved = new Map<string, 'answered' | 'timedOut'>();

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonicNow'>) {}

  take(event: SessionEvent): void {
    switch (event.event) {
      case 'prompt:submit':
        this.messageCount++;
        this.hasFailed = false;
        this.resolved.clear();
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
        this.waiting.set(event.data.approval_id, {
          request: event.data,
          sinceMs: this.clock.now(),
          askedAt: this.clock.monotonicNow(),
          isAnswered: false,
        });
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.resolve(event.data.approval_id);
        break;
      default:
    }
  }

  statusOf(turn: { readonly isBusy: boolean; readonly isBackendDown: boolean }): SessionStatusName {
    if (this.waiting.size > 0) return 'awaiting_approval';
    if (turn.isBusy) return 'processing';
    // A session whose agent can be started again takes prompts in spite of a failed turn.
    return this.hasFailed && turn.isBackendDown ? 'error' : 'idle';
  }

  /** The oldest question that waits, as its event has it, and since when: `timeout` counts from its `timestamp`. */
  get pendingApproval(): object | null {
    const [oldest] = this.waiting.values();
    return oldest ? { ...oldest.request, timestamp: wireTime(oldest.sinceMs) } : null;
  }

  /** What has not ended yet, the oldest first. */
  get pending(): EventData<'approval:required'>[] {
    return [...this.waiting.values()].map(({ request }) => request);
  }

  /** What nobody has answered yet, the oldest first. */
  get unanswered(): EventData<'approval:required'>[] {
    return [...this.waiting.values()].flatMap(({ isAnswered, request }) => (isAnswered ? [] : request));
  }

  /**
   * The question that an answer is for: the one it names, else the oldest. It counts as answered from now on.
   * @throws ApiFailure 400 when none waits or the answer is not one of its options, 409 when it has ended already
   */
  beginAnswer({ decision, approval_id: id }: ApprovalRequest): EventData<'approval:required'> {
    const waiting = id === undefined ? this.waiting.values().next().value : this.waiting.get(id);
    if (!waiting) throw this.notWaiting(id ?? [...this.resolved.keys()].at(-1));
    const { approval_id, options } = waiting.request;
    if (waiting.isAnswered) throw answeredAlready(approval_id);
    if (!options.includes(decision)) {
      const message = `decision: Answer with one of: ${options.join(', ')}.`;
      throw documented('APPROVAL_INVALID', message, { field: 'decision', approval_id, options });
    }
    waiting.isAnswered = true;
    return waiting.request;
  }

  /** The backend did not take the answer. */
  takeBackAnswer(approvalId: string): void {
    const waiting = this.waiting.get(approvalId);
    if (waiting) waiting.isAnswered = false;
  }

  /** Whether an answer that came here is what ends the question, as against its time-out or the end of its turn. */
  isAnswered(approvalId: string): boolean {
    return this.waiting.get(approvalId)?.isAnswered === true;
  }

  private resolve(id: string): void {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    this.waiting.delete(id);
    const { timeout = Infinity } = waiting.request;
    const isLate = this.clock.monotonicNow() - waiting.askedAt >= timeout * 1000 - timerSlackMs;
    this.resolved.set(id, isLate && !waiting.isAnswered ? 'timedOut' : 'answered');
  }

  private notWaiting(id: string | undefined): ApiFailure {
    const how = id === undefined ? undefined : this.resolved.get(id);
    if (how === 'timedOut') {
      return new ApiFailure(409, 'APPROVAL_TIMEOUT', 'Nobody answered in time, so it was denied.', { approval_id: id });
    }
    if (how && id !== undefined) return answeredAlready(id);
    return documented('APPROVAL_INVALID', 'Nothing waits for an answer.', id === undefined ? {} : { approval_id: id });
  }
}

function answeredAlready(approvalId: string): ApiFailure {
  const message = 'This was answered already, or its turn has ended.';
  return new ApiFailure(409, 'APPROVAL_RESOLVED', message, { approval_id: approvalId });
}
