import type { EntryOf, ToolState } from './entries';

export const toolStateLabels: Readonly<Record<ToolState, string>> = {
  pending: 'pending',
  waiting: 'waiting for your answer',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'canceled',
  rejected: 'rejected',
  timedOut: 'not answered in time',
  stale: 'not finished',
};

export const outcomeLabels: Readonly<Record<EntryOf<'end'>['outcome'], string>> = {
  completed: 'Done',
  cancelled: 'Stopped',
  interrupted: 'Interrupted',
  failed: 'Failed',
  refused: 'Refused',
  limit: 'Limit reached',
};
