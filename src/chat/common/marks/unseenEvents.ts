import type { ConversationRow } from '../chatView';
import { markOf, type ConversationMark } from './chatMarks';

/** What happened in a conversation that the user does not see. */
export interface UnseenEvent {
  readonly kind: Extract<ConversationMark, 'needsInput' | 'failed' | 'done'>;
  readonly row: ConversationRow;
  /** The key of the conversation in `KnownConversations`, as long as nothing newer has happened in it. */
  readonly key: string;
}

/** What is known of one conversation. `key` is the same as long as nothing new happens. */
interface Known {
  readonly key: string;
  readonly mark: ConversationMark;
  readonly wasSeen: boolean;
  readonly isTold: boolean;
}
export type KnownConversations = ReadonlyMap<string, Known>;

interface WindowView {
  readonly rows: readonly ConversationRow[];
  /** Identifies what a waiting conversation asks. Undefined if it is not known yet. */
  readonly questionKey: (sessionId: string) => string | undefined;
  /** Whether a visible page shows the conversation. */
  readonly isShown: (sessionId: string) => boolean;
  readonly isWindowFocused: boolean;
}

/**
 * Returns what the user must be told of: once for each event, if the conversation is hidden, or if the window has no focus
 * and the user has not seen the event before. What had ended before the first call, or ends in another window, is no event.
 */
export function unseenEvents(
  before: KnownConversations,
  { rows, isShown, isWindowFocused, questionKey }: WindowView,
): { readonly known: KnownConversations; readonly events: readonly UnseenEvent[] } {
  const known = new Map<string, Known>();
  const events: UnseenEvent[] = [];
  for (const row of rows) {
    const { id } = row;
    const last = before.get(id);
    // The window that runs a conversation reports what happens in it.
    const mark = row.isInOtherWindow ? 'none' : markOf(row);
    const question = mark === 'needsInput' ? questionKey(id) : '';
    if (question === undefined) {
      if (last) known.set(id, last);
      continue;
    }
    const key = `${mark} ${question}`;
    const isSame = last?.key === key;
    const wasSeen = (isSame && last.wasSeen) || (isShown(id) && isWindowFocused);
    const isNew = !isSame && isEvent(mark, last);
    const isPending = isNew || (isSame && !last.isTold);
    const isDue = isPending && (!isShown(id) || !wasSeen);
    if (isDue && mark !== 'none' && mark !== 'working') events.push({ kind: mark, row, key });
    known.set(id, { key, mark, wasSeen, isTold: isDue || !isPending });
  }
  return { known, events };
}

/** Only a turn in this window is known to run before it ends. */
function isEvent(mark: ConversationMark, last: Known | undefined): boolean {
  switch (mark) {
    case 'needsInput':
      return true;
    case 'failed':
    case 'done':
      return last?.mark === 'working' || last?.mark === 'needsInput';
    case 'working':
    case 'none':
      return false;
  }
}
