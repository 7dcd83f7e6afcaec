import type { OwnWorkerReason } from './poolState';

/** Tells the user that a provider does not share a worker any more. Undefined if it shares one, or never could. */
export function describeOwnWorker(reason: OwnWorkerReason | undefined): string | undefined {
  const why = reason && reasons[reason];
  return why ? `It now runs apart from the others, because it ${why}.` : undefined;
}

const reasons: Readonly<Record<OwnWorkerReason, string | undefined>> = {
  required: undefined,
  unloadable: undefined,
  blocked: 'held them up',
  hung: 'did not answer in time',
  ended: 'stopped or may have stopped their shared process',
  memory: 'used too much memory',
  globals: 'changed global objects',
  files: 'loads the same files as another one',
};
