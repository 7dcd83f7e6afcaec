import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConversationHead } from '../../common/chatStore';

/**
 * Returns the head of a conversation that this window writes, with what other windows have changed in it: its title, its marks,
 * and that its end was seen there. `stored` may be older than `ours`.
 */
export function withOthersChanges(ours: ConversationHead, stored: ConversationHead): ConversationHead {
  const { archivedAt, deletedAt, pinnedAt, title, titledBy } = stored;
  // Each end of a turn has its own time, so an older head does not tell that this one was seen.
  const isOfSameEnd = stored.updatedAt === ours.updatedAt;
  const isSeen = isOfSameEnd && ours.state === 'unread' && stored.state === 'idle';
  const isFailureSeen = isOfSameEnd && ours.isUnseen === true && stored.isUnseen === false;
  return {
    ...ours,
    title,
    titledBy,
    ...withoutUndefined({ archivedAt, deletedAt, pinnedAt }),
    ...(isSeen && { state: 'idle' }),
    ...(isFailureSeen && { isUnseen: false }),
  };
}
