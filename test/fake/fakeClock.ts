import type { Clock } from '../../src/base/common/async';

/** Time that passes only when the test says so. */
export class FakeClock implements Clock {
  private timeMs = 0;
  private setBackMs = 0;
  private readonly timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  get pending(): number {
    return this.timers.size;
  }

  now(): number {
    return this.timeMs - this.setBackMs;
  }

  /** Far from `now`: what mixes the two is wrong by a long time. */
  monotonicNow(): number {
    return 1e9 + this.timeMs;
  }

  /** As a user or a time server does with the time of day. */
  setBack(ms: number): void {
    this.setBackMs += ms;
  }

  setForward(ms: number): void {
    this.setBack(-ms);
  }

  setTimer(delayMs: number, callback: () => void): { dispose: () => void } {
    const timer = { dueMs: this.timeMs + delayMs, callback };
    this.timers.add(timer);
    return { dispose: () => void this.timers.delete(timer) };
  }

  /** The machine sleeps: what fell due meanwhile is run when it wakes up, with the time that it is then. */
  sleep(ms: number): void {
    this.timeMs += ms;
    const due = [...this.timers].filter(({ dueMs }) => dueMs <= this.timeMs).sort((a, b) => a.dueMs - b.dueMs);
    for (const timer of due) if (this.timers.delete(timer)) timer.callback();
  }

  /** Runs what falls due on the way, in order of time. */
  advance(ms: number): void {
    const endMs = this.timeMs + ms;
    for (;;) {
      const [next] = [...this.timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (!next) break;
      this.timers.delete(next);
      this.timeMs = next.dueMs;
      next.callback();
    }
    this.timeMs = endMs;
  }
}
