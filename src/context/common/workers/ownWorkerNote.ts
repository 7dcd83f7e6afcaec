import type { OwnWorkerReason } from './poolState';

/** Explains to the user why a provider no longer shares a worker. Undefined if it shares one, or never could. */
export function describeOwnWorker(reason: OwnWorkerReason | undefined): string | undefined {
  const why = reason && reasons[reason];
  return why ? `It now runs separately from the other providers, because it ${why}.` : undefined;
}

const reasons: Readonly<Record<OwnWorkerReason, string | undefined>> = {
  required: undefined,
  unloadable: undefined,
  blocked: 'blocked them',
  hung: 'did not answer in time',
  ended: 'stopped, or may have stopped, the process that they share',
  memory: 'used too much memory',
  globals: 'changed global objects',
  files: 'loads the same files as another provider',
};
