import type { Clock } from '../../../base/common/async';
import type { ConversationHead } from '../chatStore';

/** How the user has put a conversation in order. */
export interface ConversationMarks {
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  /** Whether no list and no page shows it, until it is removed. */
  readonly isDeleted?: boolean;
  /** The side question that the user keeps; see `ConversationHead.aside`. */
  readonly keptAside?: { readonly about: string };
}

/** Returns what the head says of marks that have changed. The others stay as they are. */
export function marksInHead(
  { isArchived, isDeleted, isPinned, keptAside }: ConversationMarks,
  clock: Pick<Clock, 'now'>,
): Pick<ConversationHead, 'pinnedAt' | 'archivedAt' | 'deletedAt' | 'aside'> {
  const since = (isSet: boolean): number => (isSet ? clock.now() : 0);
  return {
    ...(isPinned !== undefined && { pinnedAt: since(isPinned) }),
    ...(isArchived !== undefined && { archivedAt: since(isArchived) }),
    ...(isDeleted !== undefined && { deletedAt: since(isDeleted) }),
    ...(keptAside && { aside: { about: keptAside.about, isKept: true } }),
  };
}
