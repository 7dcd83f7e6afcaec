import { raceSignal } from '../../base/common/async';
import { BackendError } from './sessionBackend';

/** Settles like `work`. @throws BackendError `cancelled` as soon as `signal` fires, without stopping `work` */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return raceSignal(work, signal, () => new BackendError('cancelled', 'Canceled.'));
}
