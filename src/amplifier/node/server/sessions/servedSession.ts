import { withDeadline, type Clock } from '../../../../base/common/async';
import type { Disposable } from '../../../../base/common/disposable';
import { messageOf } from '../../../../base/common/errors';
import type { Logger } from '../../../../base/common/log';
import type {
  ReceivedApprovalAnswer,
  ContextUpdate,
  PromptRequest,
  SessionStatusName,
} from '../../../common/api/apiSchema';
import type { SessionEvent, EventData, EventOf } from '../../../../session/common/sessionEvents';
import { isPromptTurn } from '../../../../session/common/sessionTurn';
import { findDenyOption, isDenial } from '../../../../session/common/approvalOptions';
import type { BackendSession, SessionBackend } from '../../../../session/common/sessionBackend';
import { documentedFailure, sessionNotFoundFailure } from '../http/apiFailure';
import { contextAttachments } from './contextAttachments';
import { SessionEventBroadcaster, type EventSink } from '../streams/sessionEventBroadcaster';
import { ResumePointTracker } from './resumePointTracker';
import type { ServerLimits } from '../serverLimits';
import { SessionStatusTracker } from './sessionStatusTracker';
import { WireEventAdapter } from '../streams/wireEventAdapter';
import { formatWireTime } from '../../../common/api/wireTime';

interface ServedSessionDeps {
  /** Id of the session on this server (a UUID). The backend has another id. */
  readonly id: string;
  readonly profile: string;
  readonly cwd: string;
  readonly backend: SessionBackend;
  readonly session: BackendSession;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: ServerLimits;
  /** The client's editor context when the session was created. It is sent with the first prompt. */
  readonly context: ContextUpdate;
}

/** A backend's session for clients of the embedded server, with its own id, status and event feed. */
export class ServedSession {
  readonly id: string;
  private readonly feed: SessionEventBroadcaster;
  private readonly statusTracker: SessionStatusTracker;
  private readonly resumePoint: ResumePointTracker;
  private readonly wireEventAdapter: WireEventAdapter;
  private readonly createdAt: string;
  private readonly followAbortController = new AbortController();
  private lastActivityMs: number;
  /** The context from the creation of the session, until it is sent with the first prompt. */
  private unsentContext: ContextUpdate;
  private followPromise = Promise.resolve();
  private closeReason: string | undefined;
  private hasEnded = false;

  constructor(private readonly deps: ServedSessionDeps) {
    const { clock, context, id, limits } = deps;
    this.id = id;
    this.statusTracker = new SessionStatusTracker(clock);
    this.resumePoint = new ResumePointTracker(id);
    this.wireEventAdapter = new WireEventAdapter(id);
    this.feed = new SessionEventBroadcaster({ ...limits, sessionId: id, clock });
    this.lastActivityMs = clock.now();
    this.createdAt = formatWireTime(this.lastActivityMs);
    this.unsentContext = context;
  }

  /** Emits `session:start`, and starts to relay the events of the backend's session. */
  start(): void {
    const { profile } = this.deps;
    this.emitEvent({ event: 'session:start', data: { session_id: this.id, profile, timestamp: this.createdAt } });
    this.followPromise = this.followBackendEvents();
  }

  get status(): SessionStatusName {
    if (!this.isRunning) return 'stopped';
    const { backend, session } = this.deps;
    return this.statusTracker.statusOf({
      isBusy: isPromptTurn(session.turn),
      isBackendDown: backend.state.kind === 'failed',
    });
  }

  get statusSummary() {
    return { session_id: this.id, status: this.status, profile: this.deps.profile, created_at: this.createdAt };
  }

  get statusDetails() {
    const { messageCount, oldestPendingApproval, tokenUsage } = this.statusTracker;
    return {
      ...this.statusSummary,
      last_activity: formatWireTime(this.lastActivityMs),
      message_count: messageCount,
      token_usage: tokenUsage,
      pending_approval: oldestPendingApproval && { ...oldestPendingApproval, session_id: this.id },
      ...this.resumePoint.fieldsForSessionStatus,
    };
  }

  get subscriberCount(): number {
    return this.feed.subscriberCount;
  }

  get isBusy(): boolean {
    return !this.hasEnded && isPromptTurn(this.deps.session.turn);
  }

  get pendingApprovalCount(): number {
    return this.statusTracker.pendingApprovals.length;
  }

  subscribe(sink: EventSink, afterSequence: number): Disposable {
    return this.feed.subscribe(sink, afterSequence);
  }

  emitNotice(level: 'info' | 'warning', message: string): void {
    this.emitEvent({ event: 'notice', data: { session_id: this.id, level, message } });
  }

  /** Sends a prompt. Resolves when the backend has accepted it. @throws ApiFailure, BackendError */
  async prompt({ prompt, context_update: update }: PromptRequest): Promise<{ requestId: string }> {
    this.requireRunning();
    const { cwd, session } = this.deps;
    if (isPromptTurn(session.turn)) {
      const message = 'The session is processing another prompt. Wait for its end or cancel it.';
      throw documentedFailure('SESSION_BUSY', message, { session_id: this.id });
    }
    // The context of the prompt is newer, so it replaces the earlier one.
    const attachments = contextAttachments({ ...this.unsentContext, ...said(update) }, cwd);
    const { requestId } = await session.sendPrompt({
      text: prompt,
      ...(attachments.length > 0 ? { attachments } : {}),
    });
    this.unsentContext = {};
    this.lastActivityMs = this.deps.clock.now();
    return { requestId };
  }

  /** Answers an approval. Resolves to whether the decision allows the tool call. @throws ApiFailure, BackendError */
  async answerApproval(answer: ReceivedApprovalAnswer): Promise<boolean> {
    this.requireRunning();
    const { approval_id: id, option_kinds: kinds, options } = this.statusTracker.beginAnswer(answer);
    try {
      await this.deps.session.answerApproval(id, answer.decision);
    } catch (error) {
      this.statusTracker.cancelAnswer(id);
      throw error;
    }
    const kind = kinds?.[options.indexOf(answer.decision)];
    return kind ? kind.startsWith('allow') : !isDenial(answer.decision);
  }

  /** Cancels the turn, if any. Resolves when it has ended. */
  async cancel(): Promise<void> {
    this.requireRunning();
    await this.deps.session.cancel();
  }

  /** Denies approvals, closes the backend's session, and sends the remaining events to subscribers. Never rejects. */
  async close(reason: string): Promise<void> {
    const { clock, limits, log, session } = this.deps;
    this.closeReason = reason;
    const close = async (): Promise<void> => {
      await this.denyPendingApprovals();
      await session.close();
      await this.followPromise;
    };
    await withDeadline(clock, 'closing a session', limits.closeTimeoutMs, close).catch((error: unknown) =>
      log.warn(`A session could not be closed: ${messageOf(error)}`),
    );
    this.end(reason);
    session.dispose();
  }

  private async denyPendingApprovals(): Promise<void> {
    const { clock, limits, log } = this.deps;
    const denials = this.statusTracker.unansweredApprovals.map((question) => this.denyApproval(question));
    await withDeadline(clock, 'denying approvals', limits.denyTimeoutMs, () => Promise.all(denials)).catch(
      (error: unknown) => log.warn(messageOf(error)),
    );
  }

  /** Denies an approval. Never rejects. */
  private async denyApproval({
    approval_id: id,
    option_kinds: kinds,
    options,
  }: EventData<'approval:required'>): Promise<void> {
    const { log, session } = this.deps;
    const decision = findDenyOption(options, kinds);
    try {
      // If there is no option that denies, the turn is cancelled.
      if (decision === undefined) await session.cancel();
      else
        await session.answerApproval(
          this.statusTracker.beginAnswer({ decision, approval_id: id }).approval_id,
          decision,
        );
    } catch (error) {
      log.warn(`An approval could not be denied: ${messageOf(error)}`);
    }
  }

  private get isRunning(): boolean {
    return !this.hasEnded && this.closeReason === undefined;
  }

  private requireRunning(): void {
    if (!this.isRunning) throw sessionNotFoundFailure(this.id);
  }

  /** Relays the backend's events. At the end, emits the end of the session. Never rejects. */
  private async followBackendEvents(): Promise<void> {
    const { log, session } = this.deps;
    let expected = 1;
    try {
      for await (const { event, sequence } of session.events({ signal: this.followAbortController.signal })) {
        if (sequence > expected) this.emitNotice('warning', `${sequence - expected} events of the agent were lost.`);
        expected = sequence + 1;
        if (event.event === 'session:end') break;
        this.relayEvent(event);
      }
      this.end(this.closeReason ?? 'agent_ended');
    } catch (error) {
      log.error('The events of a session could not be read', error);
      const message = 'The server could not read the events of this session. Start a new session.';
      this.emitEvent({ event: 'error', data: { session_id: this.id, error: message, code: 'SERVER_ERROR' } });
      this.end('error');
    }
  }

  private relayEvent(event: SessionEvent): void {
    // `session:start` is ignored, because `start` has already emitted it.
    if (event.event === 'session:start') return;
    this.emitEvent(event.event === 'approval:denied' ? this.withDecisionAndReason(event) : event);
    // A closing session accepts no answers from clients, so the approval is denied.
    if (event.event === 'approval:required' && !this.isRunning) void this.denyApproval(event.data);
  }

  private emitPendingApprovalsDenied(): void {
    for (const { approval_id } of this.statusTracker.pendingApprovals) {
      const data = { session_id: this.id, approval_id, decision: '', reason: 'turn_ended' };
      this.emitEvent(this.withDecisionAndReason({ event: 'approval:denied', data }));
    }
  }

  /** Replaces a decision with a value that the client supports, and adds a reason. */
  private withDecisionAndReason({ event, data }: EventOf<'approval:denied'>): SessionEvent {
    const { approval_id, decision, reason } = data;
    const asked = this.statusTracker.pendingApprovals.find((question) => question.approval_id === approval_id);
    const denial = asked ? (findDenyOption(asked.options, asked.option_kinds) ?? 'deny') : '';
    const why =
      reason ?? (this.statusTracker.isAnswered(approval_id) ? (this.closeReason ?? 'user_denied') : undefined);
    const resolved = { ...data, decision: decision === '' ? denial : decision };
    return { event, data: why === undefined ? resolved : { ...resolved, reason: why } };
  }

  private emitEvent(backendEvent: SessionEvent): void {
    this.lastActivityMs = this.deps.clock.now();
    const events = this.wireEventAdapter.adaptEvent(backendEvent);
    for (const event of events) {
      // Other events were added by the adapter for clients only.
      if (event.event === backendEvent.event) this.statusTracker.trackEvent(event);
      this.resumePoint.recordEvent(event, this.feed.nextEventId);
      this.feed.append(event.event, { ...event.data, session_id: this.id });
    }
  }

  private end(reason: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.emitPendingApprovalsDenied();
    const { tokenUsage } = this.statusTracker;
    this.emitEvent({ event: 'session:end', data: { session_id: this.id, reason, token_usage: { ...tokenUsage } } });
    this.feed.end();
    this.followAbortController.abort();
  }
}

/** Removes missing parts, because some clients send `null` for them. */
function said(update: ContextUpdate | undefined): ContextUpdate {
  const parts = Object.entries(update ?? {}).filter(([, part]) => part !== undefined && part !== null);
  return Object.fromEntries(parts);
}
