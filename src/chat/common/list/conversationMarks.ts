import type { Clock } from '../../../base/common/async';
import type { ConversationHead } from '../chatStore';

/** How the user has put a conversation in order. */
export interface ConversationMarks {
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  /** Whether no list and no page shows it, until it is removed. */
  readonly isDeleted?: boolean;
}

/** Returns what the head says of marks that have changed. The others stay as they are. */
export function marksInHead(
  { isArchived, isDeleted, isPinned }: ConversationMarks,
  clock: Pick<Clock, 'now'>,
): Pick<ConversationHead, 'pinnedAt' | 'archivedAt' | 'deletedAt'> {
  const since = (isSet: boolean): number => (isSet ? clock.now() : 0);
  return {
    ...(isPinned !== undefined && { pinnedAt: since(isPinned) }),
    ...(isArchived !== undefined && { archivedAt: since(isArchived) }),
    ...(isDeleted !== undefined && { deletedAt: since(isDeleted) }),
  };
}
