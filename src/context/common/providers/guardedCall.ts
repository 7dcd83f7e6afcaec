import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';

/** Waits for others' work, but not longer than it is wanted. */

/** Nobody waits for the answer any more; nothing is wrong with the provider. */
export class TakenBackError extends Error {
  override readonly name = 'TakenBackError';

  constructor() {
    super('The request was canceled.');
  }
}

interface CallGuard {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Fires when nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Starts `work` at once. The signal that it gets fires when its time is over or it is taken back; it is not waited for then,
 * whatever it makes of it.
 * @throws TimeoutError that says `what` took too long; TakenBackError
 */
export async function guardedCall<T>(
  what: string,
  { clock, timeoutMs, signal }: CallGuard,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new TakenBackError();
  return await withDeadline(clock, what, timeoutMs, (late) =>
    raceSignal(work(AbortSignal.any([late, signal])), signal, () => new TakenBackError()),
  );
}
