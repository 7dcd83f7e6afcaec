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

/**
 * Returns all that is said about the end of a turn besides its outcome, such as `The usage limit is reached. It resets at 18:00.`
 * Times are in the time zone of the process or page. Undefined if there is nothing to say.
 */
export function endWords({ at, failure, text }: Pick<EntryOf<'end'>, 'at' | 'failure' | 'text'>): string | undefined {
  if (text === undefined || failure?.resetsAt === undefined) return text;
  return `${text} It resets ${momentAfter(failure.resetsAt, at)}.`;
}

/** `at 18:00` or, on another day than `after`, `on Mar 3, 2026, 18:00`. */
function momentAfter(moment: number, after = moment): string {
  const date = new Date(moment);
  const isSameDay = date.toDateString() === new Date(after).toDateString();
  return isSameDay
    ? `at ${date.toLocaleTimeString(undefined, { timeStyle: 'short' })}`
    : `on ${date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`;
}
