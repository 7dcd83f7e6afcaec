import type { ConversationHead, PlaceElsewhere } from '../chatStore';
import type { ConversationRow } from '../chatView';

/** Returns the row of a conversation. `openState` is its state if it is open in this window. */
export function conversationRow(
  { backendTitle, id, state, title, updatedAt }: ConversationHead,
  openState: ConversationRow['state'] | undefined,
  elsewhere: PlaceElsewhere | undefined,
): ConversationRow {
  return { id, title, backendTitle, updatedAt, state: openState ?? state, ...(elsewhere ? { elsewhere } : {}) };
}

/** Conversations of this window come first, then those of other folders. */
export function hereThenNewestFirst(one: ConversationRow, other: ConversationRow): number {
  return Number(one.elsewhere !== undefined) - Number(other.elsewhere !== undefined) || newestFirst(one, other);
}

export function newestFirst(one: ConversationRow, other: ConversationRow): number {
  return other.updatedAt - one.updatedAt;
}
