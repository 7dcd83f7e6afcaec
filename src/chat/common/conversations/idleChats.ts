import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

interface Idle {
  /** Not visible, and nothing would be lost by closing it. */
  readonly canLetGo: boolean;
}

const lookMs = 60_000;
/** Number of consecutive checks that must find a conversation idle. */
const looks = 5;

/** Closes conversations that were idle for some minutes, to free memory and to let other windows write them. */
export class IdleChats<One extends Idle> implements Disposable {
  private readonly seen = new Map<One, number>();
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly all: () => Iterable<One>,
    private readonly letGo: (idle: One) => void,
  ) {}

  start(): void {
    this.timer = this.clock.setTimer(lookMs, () => {
      this.look();
      this.start();
    });
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.seen.clear();
  }

  private look(): void {
    const all = new Set(this.all());
    for (const known of this.seen.keys()) if (!all.has(known)) this.seen.delete(known);
    for (const one of all) {
      const times = one.canLetGo ? (this.seen.get(one) ?? 0) + 1 : 0;
      this.seen.set(one, times);
      if (times >= looks) this.letGo(one);
    }
  }
}
