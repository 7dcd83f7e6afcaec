import type { Clock } from '../common/async';

/** The process's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { dispose: () => clearTimeout(timer) };
  },
};
