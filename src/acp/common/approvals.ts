import type { AmplifierEvent, ApprovalOptionKind } from '../../amplifier/common/events';
import { BackendError } from '../../amplifier/common/sessionBackend';
import type { Clock } from '../../base/common/async';
import { optionNames } from './optionNames';

export interface ApprovalOption {
  readonly name: string;
  readonly kind: ApprovalOptionKind;
  /** Of an answer for always: what it would be the answer to from then on, in words. */
  readonly matches?: string;
}

export interface ApprovalQuestion<Option extends ApprovalOption> {
  readonly prompt: string;
  readonly options: readonly Option[];
  /** Told with the question, and besides, as `matches`, what each option for always matches, by its name. */
  readonly context: Record<string, unknown>;
  /** The tool call that waits. */
  readonly callId?: string;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

/**
 * What the user chose; `refused` when too many questions are open already; undefined when the question was withdrawn,
 * because the turn or the session ended.
 */
export type ApprovalAnswer<Option> =
  { readonly chosen: Option } | { readonly timedOut: true } | { readonly refused: true } | undefined;

interface Pending {
  readonly names: readonly string[];
  settle(index: number | 'timeout' | 'withdrawn'): void;
}

/** How many answered questions are remembered, to tell a late answer from a wrong one. */
const maxResolved = 256;
/** What is asked beyond them is denied: nobody would look through more. */
const maxPending = 32;

/**
 * The open questions of one session. Each is told as `approval:required` and ends as granted or denied: by the user's
 * answer, by the time-out, or by being withdrawn. Nothing is ever allowed without an answer.
 */
export class Approvals {
  private readonly pending = new Map<string, Pending>();
  private readonly resolved = new Set<string>();
  private counter = 0;

  constructor(
    private readonly sessionId: string,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    private readonly emit: (event: AmplifierEvent) => void,
  ) {}

  ask<Option extends ApprovalOption>(question: ApprovalQuestion<Option>): Promise<ApprovalAnswer<Option>> {
    if (question.signal?.aborted) return Promise.resolve(undefined);
    if (this.pending.size >= maxPending) return Promise.resolve({ refused: true });
    const id = `approval-${++this.counter}`;
    const names = optionNames(question.options);
    const kinds = question.options.map(({ kind }) => kind);
    return new Promise((resolve) => {
      const settle: Pending['settle'] = (outcome) => {
        this.pending.delete(id);
        this.remember(id);
        timer.dispose();
        question.signal?.removeEventListener('abort', withdraw);
        this.tell(id, outcome, names, kinds);
        const chosen = typeof outcome === 'number' ? question.options[outcome] : undefined;
        resolve(chosen ? { chosen } : outcome === 'timeout' ? { timedOut: true } : undefined);
      };
      const withdraw = () => settle('withdrawn');
      const timer = this.clock.setTimer(this.timeoutMs, () => settle('timeout'));
      this.pending.set(id, { names, settle });
      const { prompt, callId } = question;
      const context = withMatches(question, names);
      const data = {
        session_id: this.sessionId,
        approval_id: id,
        prompt,
        options: names,
        option_kinds: kinds,
        timeout: this.timeoutMs / 1000,
        default: 'deny' as const,
        context,
      };
      this.emit({ event: 'approval:required', data: callId === undefined ? data : { ...data, call_id: callId } });
      question.signal?.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** @throws BackendError `approvalInvalid`, `approvalResolved` */
  answer(id: string, option: string): void {
    const pending = this.pending.get(id);
    if (!pending) {
      if (this.resolved.has(id)) throw new BackendError('approvalResolved', 'This question has already been answered.');
      throw new BackendError('approvalInvalid', `There is no open question "${id}" in this session.`);
    }
    const index = pending.names.indexOf(option);
    if (index < 0) {
      throw new BackendError('approvalInvalid', `Answer with one of: ${pending.names.join(', ')}.`);
    }
    pending.settle(index);
  }

  withdrawAll(): void {
    for (const pending of [...this.pending.values()]) pending.settle('withdrawn');
  }

  private tell(
    id: string,
    outcome: number | 'timeout' | 'withdrawn',
    names: readonly string[],
    kinds: readonly ApprovalOptionKind[],
  ): void {
    const data = { session_id: this.sessionId, approval_id: id };
    if (typeof outcome !== 'number') {
      const reason = outcome === 'timeout' ? 'Nobody answered in time.' : 'The question was withdrawn.';
      this.emit({ event: 'approval:denied', data: { ...data, decision: 'deny', reason } });
      return;
    }
    const decision = names[outcome] ?? '';
    const allowed = kinds[outcome]?.startsWith('allow') ?? false;
    this.emit({ event: allowed ? 'approval:granted' : 'approval:denied', data: { ...data, decision } });
  }

  private remember(id: string): void {
    this.resolved.add(id);
    const [oldest] = this.resolved;
    if (this.resolved.size > maxResolved && oldest !== undefined) this.resolved.delete(oldest);
  }
}

function withMatches({ context, options }: ApprovalQuestion<ApprovalOption>, names: readonly string[]) {
  const matches = options.flatMap((option, index): [string, string][] => {
    const name = names[index];
    return name === undefined || option.matches === undefined ? [] : [[name, option.matches]];
  });
  return matches.length === 0 ? context : { ...context, matches: Object.fromEntries(matches) };
}
