import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

export interface PruneRequest {
  /** Whether old checkpoints are removed, too. Otherwise, only a store that is too large is made smaller. */
  readonly isFull: boolean;
  /** Whether other requests wait some seconds for it. Otherwise, they cancel it at once. */
  readonly othersWait: boolean;
}

type State =
  | { readonly kind: 'idle' | 'stopped' }
  | { readonly kind: 'waiting'; readonly isSizeCheck: boolean; readonly timer: Disposable }
  /** `isWantedAgain`: something has been stored since it began. */
  | { readonly kind: 'running'; readonly isWantedAgain: boolean };

/** Delay after which a store is checked that may have become too large. */
const sizeCheckDelayMs = 5_000;
/** Number of cancelled attempts after which other requests wait. */
const maxCancelled = 2;
/** Time between removals of old checkpoints. */
const fullIntervalMs = 5 * 60_000;

/**
 * Decides when stores are pruned: soon after something was stored, however many prompts follow, and again if it was
 * cancelled.
 */
export class PruneSchedule {
  private state: State = { kind: 'idle' };
  private lastFullMs: number;
  private cancelled = 0;

  /** `prune` returns whether it has ended, and false if another request has cancelled it. It never rejects. */
  constructor(
    private readonly clock: Clock,
    private readonly prune: (request: PruneRequest) => Promise<boolean>,
  ) {
    this.lastFullMs = clock.monotonicNow();
  }

  /** Call when something was stored. */
  request(): void {
    const { state } = this;
    if (state.kind === 'running') this.state = { ...state, isWantedAgain: true };
    else if (state.kind === 'idle' || (state.kind === 'waiting' && !state.isSizeCheck))
      this.wait(sizeCheckDelayMs, true);
  }

  stop(): void {
    if (this.state.kind === 'waiting') this.state.timer.dispose();
    this.state = { kind: 'stopped' };
  }

  private wait(delayMs: number, isSizeCheck: boolean): void {
    if (this.state.kind === 'waiting') this.state.timer.dispose();
    this.state = { kind: 'waiting', isSizeCheck, timer: this.clock.setTimer(delayMs, () => void this.run()) };
  }

  private async run(): Promise<void> {
    this.state = { kind: 'running', isWantedAgain: false };
    const startMs = this.clock.monotonicNow();
    const isFull = startMs - this.lastFullMs >= fullIntervalMs;
    const hasEnded = await this.prune({ isFull, othersWait: this.cancelled >= maxCancelled });
    this.cancelled = hasEnded ? 0 : this.cancelled + 1;
    if (hasEnded && isFull) this.lastFullMs = startMs;
    this.continueAfter(hasEnded, isFull);
  }

  private continueAfter(hasEnded: boolean, isFull: boolean): void {
    const { state } = this;
    if (state.kind !== 'running') return;
    if (!hasEnded || state.isWantedAgain) this.wait(sizeCheckDelayMs, true);
    else if (isFull) this.state = { kind: 'idle' };
    else this.wait(this.lastFullMs + fullIntervalMs - this.clock.monotonicNow(), false);
  }
}
