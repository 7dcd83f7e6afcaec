import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { cancelledError, tooSlowError } from '../common/checkpointError';

/** Returns the signal of one operation, fired by the caller's signal or the time limit. Dispose it at the end. */
export function createTimeLimitedSignal(
  clock: Clock,
  limitMs: number,
  callers: readonly (AbortSignal | undefined)[],
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const timer = clock.setTimer(limitMs, () => controller.abort(tooSlowError(limitMs)));
  const onAbort = (): void => controller.abort(cancelledError());
  for (const caller of callers) {
    if (caller?.aborted === true) onAbort();
    else caller?.addEventListener('abort', onAbort);
  }
  return {
    signal: controller.signal,
    dispose: () => {
      timer.dispose();
      for (const caller of callers) caller?.removeEventListener('abort', onAbort);
    },
  };
}
