import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

interface IdleCheckable {
  /** Whether the conversation is not visible and can be closed without losing anything. */
  readonly canClose: boolean;
}

const checkIntervalMs = 60_000;
/** Number of consecutive checks in which a conversation must be idle before it is closed. */
const checksBeforeClose = 5;

/** Closes conversations that were idle for some minutes, to free memory and to let other windows write to them. */
export class IdleChatCloser<One extends IdleCheckable> implements Disposable {
  private readonly idleCheckCounts = new Map<One, number>();
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly listChats: () => Iterable<One>,
    private readonly closeChat: (idle: One) => void,
  ) {}

  start(): void {
    this.timer = this.clock.setTimer(checkIntervalMs, () => {
      this.checkAll();
      this.start();
    });
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.idleCheckCounts.clear();
  }

  private checkAll(): void {
    const all = new Set(this.listChats());
    for (const known of this.idleCheckCounts.keys()) if (!all.has(known)) this.idleCheckCounts.delete(known);
    for (const one of all) {
      const times = one.canClose ? (this.idleCheckCounts.get(one) ?? 0) + 1 : 0;
      this.idleCheckCounts.set(one, times);
      if (times >= checksBeforeClose) this.closeChat(one);
    }
  }
}
