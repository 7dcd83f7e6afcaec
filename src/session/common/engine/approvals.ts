import type { ApprovalContext } from '../approvalContext';
import type { SessionEvent, ApprovalOptionKind } from '../sessionEvents';
import { requestChangedReason, requestWithdrawnReason } from '../approvalOptions';
import { nameContradictsKind, type NamedOption } from '../optionMeaning';
import { BackendError } from '../sessionBackend';
import type { Clock } from '../../../base/common/async';
import { uniqueOptionNames } from './optionNames';

export interface ApprovalOption extends NamedOption {
  /** A short description of what a lasting answer covers. Undefined for other answers. */
  readonly scope?: string;
}

interface ApprovalRequest<Option extends ApprovalOption> {
  readonly prompt: string;
  readonly options: readonly Option[];
  /** The context of the request. It also gets the scopes of the options, and the options with misleading names. */
  readonly context: ApprovalContext;
  readonly callId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The chosen option. `refused` if too many approvals are pending; undefined if the turn or session has ended. */
type ApprovalAnswer<Option> =
  { readonly chosen: Option } | { readonly timedOut: true } | { readonly refused: true } | undefined;

interface PendingApproval {
  readonly names: readonly string[];
  settle(index: number | 'timeout' | 'withdrawn' | 'changed'): void;
}

/** Maximum number of answered approvals that are remembered, to distinguish late answers from invalid ones. */
const maxResolved = 256;
/** Maximum number of pending approvals. Further requests are denied. */
const maxPending = 32;

const reasons = {
  timeout: 'There was no answer in time.',
  withdrawn: requestWithdrawnReason,
  changed: requestChangedReason,
} as const;

/** The reason of a signal that is aborted because a request has changed while it waited for its answer. */
export const requestChanged = Symbol('The request has changed.');

export const tooManyApprovalsMessage = `${maxPending} approvals are already pending. Further requests are denied until one is answered.`;

/**
 * The pending approvals of a session. They are answered, time out or are withdrawn. Without an answer, nothing is
 * allowed.
 */
export class Approvals {
  private readonly pendingById = new Map<string, PendingApproval>();
  /** Whether each was replaced by a changed request, instead of answered. */
  private readonly resolvedIds = new Map<string, { readonly isReplaced: boolean }>();
  private lastNumber = 0;
  private isClosed = false;
  /** Whether the user was warned of too many approvals; reset when all are answered. */
  private hasWarnedOfLimit = false;

  /** Without `timeoutMs`, approvals wait until they are answered or withdrawn. */
  constructor(
    private readonly sessionId: string,
    private readonly clock: Clock,
    private readonly timeoutMs: number | undefined,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  ask<Option extends ApprovalOption>(request: ApprovalRequest<Option>): Promise<ApprovalAnswer<Option>> {
    if (this.isClosed || request.signal?.aborted) return Promise.resolve(undefined);
    if (this.pendingById.size >= maxPending) {
      this.warnOfLimit();
      return Promise.resolve({ refused: true });
    }
    const id = `approval-${++this.lastNumber}`;
    const names = uniqueOptionNames(request.options);
    const kinds = request.options.map(({ kind }) => kind);
    return new Promise((resolve) => {
      const settle: PendingApproval['settle'] = (outcome) => {
        this.pendingById.delete(id);
        this.rememberResolved(id, outcome === 'changed');
        if (this.pendingById.size === 0) this.hasWarnedOfLimit = false;
        timer?.dispose();
        request.signal?.removeEventListener('abort', withdraw);
        this.emitOutcome(id, outcome, names, kinds);
        const chosen = typeof outcome === 'number' ? request.options[outcome] : undefined;
        resolve(chosen ? { chosen } : outcome === 'timeout' ? { timedOut: true } : undefined);
      };
      const withdraw = () => settle(request.signal?.reason === requestChanged ? 'changed' : 'withdrawn');
      const { timeoutMs } = this;
      const timer = timeoutMs === undefined ? undefined : this.clock.setTimer(timeoutMs, () => settle('timeout'));
      this.pendingById.set(id, { names, settle });
      const { prompt, callId } = request;
      const data = {
        session_id: this.sessionId,
        approval_id: id,
        prompt,
        options: names,
        option_kinds: kinds,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
        default: 'deny' as const,
        context: withOptionDetails(request, names),
        ...(callId === undefined ? {} : { call_id: callId }),
      };
      this.emit({ event: 'approval:required', data });
      request.signal?.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** Answers an approval with the name of an option. @throws BackendError `approvalInvalid`, `approvalResolved` */
  answer(id: string, option: string): void {
    const pending = this.pendingById.get(id);
    if (!pending) {
      const resolved = this.resolvedIds.get(id);
      if (resolved) {
        const changed = 'The request has changed since it was shown, so this answer does not count. Check the new one.';
        throw new BackendError(
          'approvalResolved',
          resolved.isReplaced ? changed : 'This approval was already answered.',
        );
      }
      throw new BackendError('approvalInvalid', `This session has no pending approval "${id}".`);
    }
    const index = pending.names.indexOf(option);
    if (index < 0) {
      throw new BackendError('approvalInvalid', `Answer with one of: ${pending.names.join(', ')}.`);
    }
    pending.settle(index);
  }

  /** Whether an answer of the user is pending. */
  get isAsking(): boolean {
    return this.pendingById.size > 0;
  }

  warn(message: string): void {
    this.emit({ event: 'notice', data: { session_id: this.sessionId, level: 'warning', message } });
  }

  /** Withdraws all, and asks nothing more. */
  close(): void {
    this.isClosed = true;
    this.withdrawAll();
  }

  withdrawAll(): void {
    for (const pending of [...this.pendingById.values()]) pending.settle('withdrawn');
  }

  private emitOutcome(
    id: string,
    outcome: number | 'timeout' | 'withdrawn' | 'changed',
    names: readonly string[],
    kinds: readonly ApprovalOptionKind[],
  ): void {
    const data = { session_id: this.sessionId, approval_id: id };
    if (typeof outcome !== 'number') {
      const reason = reasons[outcome];
      this.emit({ event: 'approval:denied', data: { ...data, decision: 'deny', reason } });
      return;
    }
    const decision = names[outcome] ?? '';
    const allowed = kinds[outcome]?.startsWith('allow') ?? false;
    this.emit({ event: allowed ? 'approval:granted' : 'approval:denied', data: { ...data, decision } });
  }

  private warnOfLimit(): void {
    if (this.hasWarnedOfLimit) return;
    this.hasWarnedOfLimit = true;
    this.warn(tooManyApprovalsMessage);
  }

  private rememberResolved(id: string, isReplaced: boolean): void {
    this.resolvedIds.set(id, { isReplaced });
    const [oldest] = this.resolvedIds.keys();
    if (this.resolvedIds.size > maxResolved && oldest !== undefined) this.resolvedIds.delete(oldest);
  }
}

function withOptionDetails(
  { context, options }: ApprovalRequest<ApprovalOption>,
  names: readonly string[],
): ApprovalContext {
  const scopes = options.flatMap(({ scope }, index): [string, string][] => {
    const name = names[index];
    return name === undefined || scope === undefined ? [] : [[name, scope]];
  });
  const misnamed = names.filter((_, index) => {
    const option = options[index];
    return option !== undefined && nameContradictsKind(option);
  });
  return {
    ...context,
    ...(scopes.length === 0 ? {} : { scopes: Object.fromEntries(scopes) }),
    ...(misnamed.length === 0 ? {} : { misnamed }),
  };
}
