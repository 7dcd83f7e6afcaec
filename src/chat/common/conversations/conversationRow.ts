import type { ChatStore, ConversationHead, PlaceElsewhere } from '../chatStore';
import type { ConversationRow } from '../chatView';
import { isPrompt } from '../conversation/logRecord';

/** Returns the row of a conversation. `live` is what it does in the window that runs it. */
export function conversationRow(
  { backendId, backendTitle, id, isTurnOpen = false, isUnseen, state, title, updatedAt }: ConversationHead,
  live: Partial<ConversationRow>,
  elsewhere: PlaceElsewhere | undefined,
): ConversationRow {
  // The window that ran it was killed or cannot be reached, and nobody has seen that.
  const isInterrupted = isTurnOpen && live.state === undefined;
  const stored = isInterrupted ? ({ state: 'interrupted', isUnseen: true } as const) : { state, isUnseen };
  const row = { id, title, backendId, backendTitle, updatedAt, state: stored.state, ...live };
  return { ...row, ...(stored.isUnseen === true && { isUnseen: true }), ...(elsewhere && { elsewhere }) };
}

/**
 * What needs the user comes first, the longest wait before others, then what works, then the conversations of this window, and
 * then those of other folders.
 */
export function byStateThenNewestFirst(one: ConversationRow, other: ConversationRow): number {
  return rankOf(one) - rankOf(other) || longestWaitFirst(one, other) || newestFirst(one, other);
}

type Waiting = Pick<ConversationRow, 'need'>;

/** Those of which it is not known since when they wait come last, and those that do not wait are equal. */
export function longestWaitFirst({ need: one }: Waiting, { need: other }: Waiting): number {
  // The difference of two infinities is not a number.
  return (one?.since ?? Infinity) - (other?.since ?? Infinity) || 0;
}

function rankOf({ elsewhere, state }: ConversationRow): number {
  if (state === 'waiting') return 0;
  if (state === 'busy') return 1;
  return elsewhere ? 3 : 2;
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
