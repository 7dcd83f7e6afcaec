import type { Clock } from '../common/async';

/** Node.js fires timers with longer delays immediately, so longer delays are not passed to it. */
const maxDelayMs = 2 ** 31 - 1;

/** The clock of this process. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, maxDelayMs));
    timer.unref();
    return { dispose: () => clearTimeout(timer) };
  },
};
