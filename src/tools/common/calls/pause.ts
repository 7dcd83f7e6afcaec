import { raceSignal, type Clock } from '../../../base/common/async';

/** Waits inside a call. @throws Error if `signal` fires first */
export async function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.setTimer(delayMs, () => resolve(undefined));
  try {
    await raceSignal(promise, signal, () =>
      signal.reason instanceof Error ? signal.reason : new Error('The call was cancelled.'),
    );
  } finally {
    timer.dispose();
  }
}
