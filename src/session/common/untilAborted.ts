import { raceSignal } from '../../base/common/async';
import { BackendError } from './sessionBackend';

/** Settles as the work does. @throws BackendError `cancelled` as soon as `signal` fires; the work goes on */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return raceSignal(work, signal, () => new BackendError('cancelled', 'Cancelled.'));
}
