import type { Clock } from '../../src/base/common/async';
import type { Disposable } from '../../src/base/common/disposable';
import { systemClock } from '../../src/base/node/systemClock';

/** The system's clock, which knows how many of its timers have neither fired nor been taken back. */
export class CountingClock implements Clock {
  private readonly timers = new Set<object>();

  get pending(): number {
    return this.timers.size;
  }

  now(): number {
    return systemClock.now();
  }

  monotonicNow(): number {
    return systemClock.monotonicNow();
  }

  setTimer(delayMs: number, callback: () => void): Disposable {
    const key = {};
    this.timers.add(key);
    const timer = systemClock.setTimer(delayMs, () => {
      this.timers.delete(key);
      callback();
    });
    return {
      dispose: () => {
        this.timers.delete(key);
        timer.dispose();
      },
    };
  }
}
