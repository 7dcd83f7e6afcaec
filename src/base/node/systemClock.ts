import type { Clock } from '../common/async';

/** Node.js calls back at once when a delay is longer. */
const maxDelayMs = 2 ** 31 - 1;

/** The process's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, maxDelayMs));
    timer.unref();
    return { dispose: () => clearTimeout(timer) };
  },
};
