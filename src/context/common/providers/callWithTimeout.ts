import { withDeadline, type Clock } from '../../../base/common/async';

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
  return await withDeadline(clock, what, timeoutMs, work, { signal, reason: () => new RequestCancelledError() });
}
