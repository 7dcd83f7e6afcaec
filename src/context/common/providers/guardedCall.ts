import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { TimeoutError } from '../../../base/common/errors';

/** Waits for others' work, but not longer than it is wanted. */

/** Nobody waits for the answer any more; nothing is wrong with the provider. */
export class TakenBackError extends Error {
  override readonly name = 'TakenBackError';

  constructor() {
    super('The question was taken back.');
  }
}

/** @throws TakenBackError when the signal fires, whatever becomes of the work. */
export function untilTakenBack<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new TakenBackError());
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
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
  const controller = new AbortController();
  let timer: Disposable | undefined;
  let onAbort = (): void => undefined;
  const early = new Promise<never>((_resolve, reject) => {
    const end = (error: Error): void => {
      // First, so that the caller hears of this and not of what the work makes of its signal.
      reject(error);
      controller.abort(error);
    };
    timer = clock.setTimer(timeoutMs, () => end(new TimeoutError(what, timeoutMs)));
    onAbort = () => end(new TakenBackError());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), early]);
  } finally {
    timer?.dispose();
    signal.removeEventListener('abort', onAbort);
  }
}
