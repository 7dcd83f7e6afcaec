import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { denyOption, isDenial } from '../../session/common/approvalOptions';
import type { EventData } from '../../session/common/sessionEvents';
import { BackendError, isBackendError } from '../../session/common/sessionBackend';

/** Long enough for a jump of the clock, such as sleep, to be seen soon after it. */
const maxStepMs = 2000;
const retryMs = 500;
/** What resolves a request that comes too late may be right behind it, as in a replay. */
const tooLateMs = 250;
/** How long after the user's time a request that was left is still denied: longer than any margin before the server's time-out. */
const leftMs = 20_000;
const defaultDenyMs = 2000;

interface Waiting {
  readonly options: readonly string[];
  readonly deny: string | undefined;
  readonly dueAtMs: number;
  remainingMs: number;
  isBeingAnswered: boolean;
  /** Denials that may still be tried; without a bound while the request is shown. */
  triesLeft: number;
  isLeft: boolean;
  timer: Disposable | undefined;
}

interface ApprovalGatePorts {
  readonly clock: Clock;
  /** Sends an answer. Rejects when the server did not take it. */
  readonly answer: (approvalId: string, option: string, isDenial: boolean) => Promise<void>;
  /** Nobody has answered in time: the denial that follows is not the user's. */
  readonly onTimedOut: (approvalId: string) => void;
  /** Called once when a request, shown or left, must be denied and nothing listed denies: nothing else stops the tool. */
  readonly giveUp: (approvalId: string, isLeft: boolean) => Promise<void>;
}

/**
 * Fails closed: lets nothing through but an option that the server listed, byte for byte, and denies by itself before the
 * server's own time-out, because a server may take its time-out for a yes. A request that is left is denied, too.
 */
export class ApprovalGate implements Disposable {
  private readonly waiting = new Map<string, Waiting>();
  private readonly resolved = new Set<string>();
  private readonly watchers = new Set<() => void>();
  private givingUp = 0;

  constructor(private readonly ports: ApprovalGatePorts) {}

  /** `timeout` is the time to answer here, in seconds: the server's own ends later. */
  open(request: EventData<'approval:required'>): void {
    const { approval_id: id, options, option_kinds: kinds, timeout = 0 } = request;
    const remainingMs = timeout * 1000;
    const waiting: Waiting = {
      options,
      deny: denyOption(options, kinds),
      dueAtMs: this.ports.clock.now() + remainingMs,
      remainingMs,
      isBeingAnswered: false,
      triesLeft: Infinity,
      isLeft: false,
      timer: undefined,
    };
    this.waiting.set(id, waiting);
    if (remainingMs > 0) this.wait(id, waiting);
    else waiting.timer = this.ports.clock.setTimer(tooLateMs, () => this.deny(id, waiting));
  }

  /** It is resolved. One that was left is only resolved once a denial is. */
  close(id: string): void {
    if (this.waiting.get(id)?.isLeft !== true) this.forget(id);
  }

  /** Nobody will answer, and the server may still wait: denied from now on, until that has arrived or the server's time is up. */
  leave(id: string): void {
    const waiting = this.waiting.get(id);
    if (!waiting || waiting.isLeft) return;
    waiting.isLeft = true;
    const untilMs = Math.min(waiting.remainingMs, waiting.dueAtMs - this.ports.clock.now());
    waiting.triesLeft = Math.ceil((Math.max(0, untilMs) + leftMs) / retryMs);
    this.deny(id, waiting);
  }

  leaveAll(): void {
    for (const id of [...this.waiting.keys()]) this.leave(id);
  }

  /** @throws BackendError `approvalInvalid`, `approvalResolved`, or what `answer` rejects with. */
  async choose(id: string, option: string): Promise<void> {
    const waiting = this.waiting.get(id);
    if (!waiting || waiting.isLeft) {
      throw waiting || this.resolved.has(id)
        ? new BackendError('approvalResolved', 'This was answered already, or its time is up.')
        : new BackendError('approvalInvalid', 'Nothing waits for this answer.');
    }
    if (!waiting.options.includes(option)) {
      throw new BackendError('approvalInvalid', 'Choose one of the listed options: nothing was sent.');
    }
    if (waiting.isBeingAnswered) throw new BackendError('approvalResolved', 'An answer is on its way already.');
    await this.send(id, waiting, option);
  }

  /** Denies whatever waits, again and again; resolves when nothing does any more, at the latest after `withinMs`. Never rejects. */
  async denyAll(withinMs = defaultDenyMs): Promise<void> {
    for (const [id, waiting] of [...this.waiting]) if (!waiting.isLeft) this.deny(id, waiting);
    let timer: Disposable | undefined;
    await Promise.race([
      this.until(() => this.isDenied),
      new Promise<void>((resolve) => (timer = this.ports.clock.setTimer(withinMs, resolve))),
    ]);
    timer?.dispose();
  }

  /** Resolves when nothing waits any more, or is given up. */
  whenSettled(): Promise<void> {
    return this.until(() => this.isDenied && this.givingUp === 0);
  }

  dispose(): void {
    for (const { timer } of this.waiting.values()) timer?.dispose();
    this.waiting.clear();
    this.givingUp = 0;
    this.wake();
  }

  private get isDenied(): boolean {
    return this.waiting.size === 0;
  }

  private async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.watchers.add(resolve));
  }

  private forget(id: string): void {
    this.waiting.get(id)?.timer?.dispose();
    this.waiting.delete(id);
    this.resolved.add(id);
    this.wake();
  }

  private wake(): void {
    const watchers = [...this.watchers];
    this.watchers.clear();
    for (const resolve of watchers) resolve();
  }

  private giveUp(id: string, isLeft: boolean): void {
    this.forget(id);
    this.givingUp++;
    void this.ports.giveUp(id, isLeft).finally(() => {
      this.givingUp = Math.max(0, this.givingUp - 1);
      this.wake();
    });
  }

  private async send(id: string, waiting: Waiting, option: string): Promise<void> {
    waiting.isBeingAnswered = true;
    try {
      await this.ports.answer(id, option, option === waiting.deny || isDenial(option));
      this.forget(id);
    } catch (error) {
      if (waiting.isLeft && isBackendError(error) && isGone(error)) this.forget(id);
      throw error;
    } finally {
      waiting.isBeingAnswered = false;
    }
  }

  /** Counts down in steps and looks at the clock too: whichever says first that time is up is believed. */
  private wait(id: string, waiting: Waiting): void {
    const leftMs = Math.min(waiting.remainingMs, waiting.dueAtMs - this.ports.clock.now());
    if (leftMs <= 0) {
      if (!waiting.isLeft && !waiting.isBeingAnswered) this.ports.onTimedOut(id);
      this.deny(id, waiting);
      return;
    }
    const stepMs = Math.min(maxStepMs, leftMs);
    waiting.timer = this.ports.clock.setTimer(stepMs, () => {
      waiting.remainingMs -= stepMs;
      this.wait(id, waiting);
    });
  }

  private deny(id: string, waiting: Waiting): void {
    const { deny } = waiting;
    waiting.timer?.dispose();
    if (this.waiting.get(id) !== waiting) return;
    if (deny === undefined) {
      this.giveUp(id, waiting.isLeft);
      return;
    }
    if (waiting.triesLeft-- <= 0) {
      this.forget(id);
      return;
    }
    // Until the request is closed the denial may not have arrived.
    waiting.timer = this.ports.clock.setTimer(retryMs, () => this.deny(id, waiting));
    if (!waiting.isBeingAnswered) void this.send(id, waiting, deny).catch(() => undefined);
  }
}

function isGone({ code }: BackendError): boolean {
  return code === 'approvalResolved' || code === 'approvalInvalid' || code === 'notFound' || code === 'closed';
}
