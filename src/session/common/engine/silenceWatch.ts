import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

/** After this time without an event, a turn has ended whose end the agent has no way to report. */
const silenceMs = 5_000;
/** The same while a call is open, whose end the agent may have forgotten. */
const openCallSilenceMs = 10 * 60_000;

interface SilenceWatchDeps {
  readonly clock: Clock;
  /** Whether a turn is open that ends by silence. */
  readonly isWatching: () => boolean;
  /** Whether the user has to answer the agent. The end of that is an event, too. */
  readonly isAsking: () => boolean;
  readonly hasOpenCalls: () => boolean;
  readonly onSilence: () => void;
}

/** Notices that an agent does nothing more in a turn whose end it does not report. */
export class SilenceWatch implements Disposable {
  private lastActivityAtMs = 0;
  private timer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: SilenceWatchDeps) {}

  /** Call after each event. */
  noteActivity(): void {
    const { clock, isWatching } = this.deps;
    // The agent may go on until it hears of the end of the session.
    if (this.isDisposed || !isWatching()) return;
    this.lastActivityAtMs = clock.monotonicNow();
    this.timer ??= clock.setTimer(silenceMs, () => this.check());
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }

  private check(): void {
    const { clock, hasOpenCalls, isAsking, isWatching, onSilence } = this.deps;
    this.timer = undefined;
    if (!isWatching() || isAsking()) return;
    const limitMs = hasOpenCalls() ? openCallSilenceMs : silenceMs;
    const leftMs = this.lastActivityAtMs + limitMs - clock.monotonicNow();
    // Asked again soon, because the call may end before.
    if (leftMs > 0) this.timer = clock.setTimer(Math.min(leftMs, silenceMs), () => this.check());
    else onSilence();
  }
}
