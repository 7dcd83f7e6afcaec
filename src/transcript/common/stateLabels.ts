import type { EntryOf, ToolState } from './entries';

export const toolStateLabels: Readonly<Record<ToolState, string>> = {
  pending: 'Pending',
  waiting: 'Needs approval',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Canceled',
  rejected: 'Denied',
  timedOut: 'Timed out',
  stale: 'Not finished',
};

export const outcomeLabels: Readonly<Record<EntryOf<'end'>['outcome'], string>> = {
  completed: 'Done',
  cancelled: 'Stopped',
  interrupted: 'Interrupted',
  failed: 'Failed',
  refused: 'Refused',
  limit: 'Limit reached',
};
