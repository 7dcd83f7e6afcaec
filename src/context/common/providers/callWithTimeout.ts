import type { Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';

/** The caller cancelled the request. The provider did not fail. */
export class RequestCancelledError extends Error {
  override readonly name = 'RequestCancelledError';

  constructor() {
    super('The request was canceled.');
  }
}

interface CallLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Settles like `work`. Rejects on a time-out or cancellation, even if `work` ignores its signal. @throws TimeoutError,
 * RequestCancelledError
 */
export async function callWithTimeout<T>(
  what: string,
  { clock, timeoutMs, signal }: CallLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new RequestCancelledError();
  // One controller for both, because users wait for this, and `AbortSignal.any` is slow.
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  // Rejects first, so that the caller gets this error and not the one that the aborted work throws.
  const end = (error: Error, reason: unknown = error): void => {
    reject(error);
    controller.abort(reason);
  };
  const cancel = (): void => end(new RequestCancelledError(), signal.reason);
  const timer = clock.setTimer(timeoutMs, () => end(new TimeoutError(what, timeoutMs)));
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    timer.dispose();
    signal.removeEventListener('abort', cancel);
  }
}
