import { raceSignal } from '../../base/common/async';
import { BackendError } from './sessionBackend';

/** Settles like `work`, or rejects as soon as `signal` fires. Does not stop `work`. @throws BackendError `cancelled` */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return raceSignal(work, signal, cancelledError);
}

export function cancelledError(): BackendError {
  return new BackendError('cancelled', 'Canceled.');
}
