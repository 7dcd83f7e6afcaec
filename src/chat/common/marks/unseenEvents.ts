import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConversationRow } from '../chatView';
import { markOf, type ConversationMark } from './chatMarks';

/** How long an event is kept back, in milliseconds: those that come meanwhile are told with it, and what goes on is not done. */
const delayMs = { needsInput: 1_000, failed: 1_000, done: 2_000 } as const;
/** How much longer a window without the focus keeps it back, so that a window that has it can tell it. */
const unfocusedDelayMs = 1_000;
/** In a window that has the focus, the end of a turn that took less time is not told. */
const minTurnMs = 30_000;

/** What happened in a conversation. */
export interface UnseenEvent {
  readonly kind: Extract<ConversationMark, 'needsInput' | 'failed' | 'done'>;
  readonly row: ConversationRow;
  /** The key of the conversation in `KnownConversations`, as long as nothing newer has happened in it. */
  readonly key: string;
  /** Identifies the event in all windows, of which only the first one tells it. */
  readonly id: string;
  /** Whether no window tells it, because this one has the focus and shows it, or because it was short. */
  readonly isSilent: boolean;
}

/** What is known of one conversation. `key` is the same as long as nothing new happens. Times are in ms since the epoch. */
interface Known {
  readonly key: string;
  readonly mark: ConversationMark;
  readonly noticedAt: number;
  /** When the last turn began. */
  readonly turnStartedAt?: number;
  /** Whether another window runs it, or did at the end. */
  readonly isOther: boolean;
  readonly wasSeen: boolean;
  /** Whether other windows know that they need not tell it. */
  readonly isSilenced: boolean;
  readonly isTold: boolean;
}
export type KnownConversations = ReadonlyMap<string, Known>;

interface WindowView {
  readonly rows: readonly ConversationRow[];
  /** Identifies what a waiting conversation of this window asks. Undefined if it is not known yet. */
  readonly questionKey: (sessionId: string) => string | undefined;
  /** Whether a visible page shows the conversation. */
  readonly isShown: (sessionId: string) => boolean;
  readonly isWindowFocused: boolean;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

interface UnseenEvents {
  readonly known: KnownConversations;
  readonly events: readonly UnseenEvent[];
  /** When to look again although nothing has changed. */
  readonly nextAt?: number;
}

/**
 * Returns what happened, once for each event: unless the user sees it or goes on before it is due. The window that runs a
 * conversation tells it, or a window that has the focus. What had ended before the first call is no event.
 */
export function unseenEvents(before: KnownConversations, view: WindowView): UnseenEvents {
  const { isShown, isWindowFocused, now, questionKey, rows } = view;
  const known = new Map<string, Known>();
  const events: UnseenEvent[] = [];
  const dueTimes: number[] = [];
  for (const row of rows) {
    const { id } = row;
    const last = before.get(id);
    const mark = markOf(row);
    const isOther = row.isInOtherWindow ?? (mark !== 'working' && mark !== 'needsInput' && last?.isOther === true);
    const asked = mark !== 'needsInput' ? '' : isOther ? `${row.need?.since ?? ''}` : questionKey(id);
    if (asked === undefined) {
      if (last) known.set(id, last);
      continue;
    }
    const key = `${mark} ${asked}`;
    const isSame = last?.key === key;
    const noticedAt = isSame ? last.noticedAt : now;
    const isInView = isShown(id) && isWindowFocused;
    const wasSeen = (isSame && last.wasSeen) || isInView;
    const isPending = (!isSame && isEvent(mark, last)) || (isSame && !last.isTold);
    const turnStartedAt = row.turnStartedAt ?? last?.turnStartedAt;
    let isTold = !isPending;
    let isSilenced = isSame && last.isSilenced;
    if (isPending && mark !== 'none' && mark !== 'working' && (isWindowFocused || !isOther)) {
      const event = { kind: mark, row, key, id: eventIdOf(row, mark) };
      const dueAt = noticedAt + delayMs[mark] + (isWindowFocused ? 0 : unfocusedDelayMs);
      if (isInView) {
        // It may be hidden before it is answered.
        if (!isSilenced) events.push({ ...event, isSilent: true });
        isSilenced = true;
      } else if (now < dueAt) dueTimes.push(dueAt);
      else if (!isShown(id) || !wasSeen) {
        const isShort = mark === 'done' && isWindowFocused && row.updatedAt - (turnStartedAt ?? 0) < minTurnMs;
        isTold = true;
        events.push({ ...event, isSilent: isShort });
      }
    }
    known.set(id, {
      key,
      mark,
      noticedAt,
      isOther,
      wasSeen,
      isSilenced,
      isTold,
      ...withoutUndefined({ turnStartedAt }),
    });
  }
  return { known, events, ...(dueTimes.length > 0 && { nextAt: Math.min(...dueTimes) }) };
}

/** Only a turn that is known to run is known to end. */
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

function eventIdOf({ id, need, updatedAt }: ConversationRow, kind: UnseenEvent['kind']): string {
  return `${id} ${kind} ${kind === 'needsInput' ? (need?.since ?? updatedAt) : updatedAt}`;
}
