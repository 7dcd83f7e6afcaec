import type { OwnWorkerReason } from './poolState';

/** Explains to the user why a provider no longer shares a worker. Undefined if it shares one, or never could. */
export function describeOwnWorker(reason: OwnWorkerReason | undefined): string | undefined {
  const why = reason && reasons[reason];
  return why ? `It now runs in its own worker, because ${why}.` : undefined;
}

const reasons: Readonly<Record<OwnWorkerReason, string | undefined>> = {
  required: undefined,
  unloadable: undefined,
  alone: 'it stopped',
  blocked: 'a provider blocked the worker that it shared',
  hung: 'a provider of the worker that it shared did not answer in time',
  ended: 'the worker that it shared has stopped',
  memory: 'the worker that it shared used too much memory',
};
