import type { ChatStore, ConversationHead, PlaceElsewhere } from '../chatStore';
import type { ConversationRow } from '../chatView';
import { isPrompt } from '../conversation/logRecord';

/** Returns the row of a conversation. `live` is what it does in the window that runs it. */
export function conversationRow(
  { backendTitle, id, isTurnOpen = false, isUnseen, state, title, updatedAt }: ConversationHead,
  live: Partial<ConversationRow>,
  elsewhere: PlaceElsewhere | undefined,
): ConversationRow {
  const stored = isTurnOpen ? 'interrupted' : state;
  const row = { id, title, backendTitle, updatedAt, state: stored, ...live };
  return { ...row, ...(isUnseen === true && { isUnseen }), ...(elsewhere && { elsewhere }) };
}

/** Conversations of this window come first, then those of other folders. */
export function hereThenNewestFirst(one: ConversationRow, other: ConversationRow): number {
  return Number(one.elsewhere !== undefined) - Number(other.elsewhere !== undefined) || newestFirst(one, other);
}

export function newestFirst(one: ConversationRow, other: ConversationRow): number {
  return other.updatedAt - one.updatedAt;
}

/** Whether a stored conversation has the prompt with this id as its first one. Never rejects. */
export async function isStoredAsFirst(store: Pick<ChatStore, 'heads' | 'read'>, promptId: string): Promise<boolean> {
  const head = store.heads.find(({ startedBy }) => startedBy === promptId);
  // The head can be on disk without the prompt.
  const stored = head && (await store.read(head.id).catch(() => undefined));
  return stored?.records.some((record) => isPrompt(record) && record.id === promptId) ?? false;
}
