import type { ConversationRow } from '../chatView';

/** Whether its agent works, or waits for the user. */
export function isRunning({ state }: Pick<ConversationRow, 'state'>): boolean {
  return state === 'busy' || state === 'waiting';
}

/** Whether it is out of sight. What runs or needs input is always in sight. */
export function isArchivedAway(row: Pick<ConversationRow, 'isArchived' | 'state'>): boolean {
  return row.isArchived === true && !isRunning(row);
}
