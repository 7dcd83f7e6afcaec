import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { denyOption } from './approvalOptions';
import type { EventData } from './events';
import { BackendError } from './sessionBackend';

/** Servers that say nothing wait this long. */
export const defaultApprovalTimeoutSeconds = 300;
/** Long enough for a jump of the clock, such as sleep, to be seen soon after it. */
const maxStepMs = 2000;
const retryMs = 1000;

interface Waiting {
  readonly options: readonly string[];
  readonly deny: string | undefined;
  readonly dueAtMs: number;
  remainingMs: number;
  isBeingAnswered: boolean;
  timer: Disposable | undefined;
}

export interface ApprovalGatePorts {
  readonly clock: Clock;
  /** Sends an answer. Rejects when the server did not take it. */
  readonly answer: (approvalId: string, option: string) => Promise<void>;
  /** Called when the deadline comes and nothing listed denies: nothing else stops the tool. */
  readonly giveUp: (approvalId: string) => void;
}

/**
 * Fails closed: lets nothing through but an option that the server listed, byte for byte, and denies by itself before the
 * server's own time-out, because a server may take its time-out for a yes.
 */
export class ApprovalGate implements Disposable {
  private readonly waiting = new Map<string, Waiting>();
  private readonly resolved = new Set<string>();

  constructor(private readonly ports: ApprovalGatePorts) {}

  open({ approval_id: id, options, option_kinds: kinds, timeout }: EventData<'approval:required'>): void {
    const timeoutMs = Math.max(0, timeout ?? defaultApprovalTimeoutSeconds) * 1000;
    const remainingMs = Math.max(0, timeoutMs - marginMs(timeoutMs));
    const dueAtMs = this.ports.clock.now() + remainingMs;
    const entry = { options, deny: denyOption(options, kinds), dueAtMs, remainingMs, isBeingAnswered: false };
    const waiting: Waiting = { ...entry, timer: undefined };
    this.waiting.set(id, waiting);
    this.wait(id, waiting);
  }

  close(id: string): void {
    this.waiting.get(id)?.timer?.dispose();
    this.waiting.delete(id);
    this.resolved.add(id);
  }

  /** @throws BackendError `approvalInvalid`, `approvalResolved`, or what `answer` rejects with. */
  async choose(id: string, option: string): Promise<void> {
    const waiting = this.waiting.get(id);
    if (!waiting) {
      throw this.resolved.has(id)
        ? new BackendError('approvalResolved', 'This was answered already, or its time is up.')
        : new BackendError('approvalInvalid', 'Nothing waits for this answer.');
    }
    if (!waiting.options.includes(option)) {
      throw new BackendError('approvalInvalid', 'Choose one of the listed options: nothing was sent.');
    }
    if (waiting.isBeingAnswered) throw new BackendError('approvalResolved', 'An answer is on its way already.');
    waiting.isBeingAnswered = true;
    try {
      await this.ports.answer(id, option);
    } finally {
      waiting.isBeingAnswered = false;
    }
  }

  /** Denies whatever waits, as far as it can be denied. Never rejects. */
  async denyAll(): Promise<void> {
    await Promise.allSettled(
      [...this.waiting].map(async ([id, { deny }]) => (deny === undefined ? undefined : this.choose(id, deny))),
    );
  }

  dispose(): void {
    for (const { timer } of this.waiting.values()) timer?.dispose();
    this.waiting.clear();
  }

  /** Counts down in steps and looks at the clock too: whichever says first that time is up is believed. */
  private wait(id: string, waiting: Waiting): void {
    const leftMs = Math.min(waiting.remainingMs, waiting.dueAtMs - this.ports.clock.now());
    if (leftMs <= 0) {
      this.denyLate(id, waiting);
      return;
    }
    const stepMs = Math.min(maxStepMs, leftMs);
    waiting.timer = this.ports.clock.setTimer(stepMs, () => {
      waiting.remainingMs -= stepMs;
      this.wait(id, waiting);
    });
  }

  private denyLate(id: string, waiting: Waiting): void {
    const { deny } = waiting;
    if (deny === undefined) {
      this.ports.giveUp(id);
      return;
    }
    // Until the request is closed the denial may not have arrived.
    waiting.timer = this.ports.clock.setTimer(retryMs, () => this.denyLate(id, waiting));
    if (!waiting.isBeingAnswered) void this.choose(id, deny).catch(() => undefined);
  }
}

/** How long before the server's time-out the denial leaves: a tenth of it, within one and fifteen seconds. */
function marginMs(timeoutMs: number): number {
  return Math.min(15_000, Math.max(1000, timeoutMs / 10));
}
