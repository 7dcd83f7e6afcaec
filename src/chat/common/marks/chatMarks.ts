import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { StatusHighlight } from '../../../base/common/feature';
import { commandIds } from '../../../manifest';
import type { ConversationRow } from '../chatView';
import { longestWaitFirst } from '../conversations/conversationRow';
import { isRunning } from '../list/rowState';

/** What is marked about a conversation where the conversation itself is not in view. */
export type ConversationMark = 'none' | 'working' | 'needsInput' | 'failed' | 'done';

/** The marks of the conversations of a window. */
export interface ChatMarks {
  /** The marks of tabs, by the id of their conversation. Without those that are `none`. */
  readonly tabs: ReadonlyMap<string, Exclude<ConversationMark, 'none'>>;
  /** The badge of the view: how many conversations need the user or were not seen since they ended. */
  readonly badge: { readonly value: number; readonly tooltip: string } | undefined;
  /** Undefined if nothing is going on. */
  readonly statusBar: StatusHighlight | undefined;
  /** The conversations that need the user, the most urgent first. */
  readonly calling: readonly string[];
}

type MarkedRow = Pick<ConversationRow, 'id' | 'title' | 'state' | 'isUnseen' | 'isArchived' | 'elsewhere' | 'need'>;

/** Conversations of other workspaces and archived ones are only marked while they run or need the user. */
export function markOf(row: Omit<MarkedRow, 'id' | 'title'>): ConversationMark {
  const { elsewhere, isArchived = false, isUnseen = false, state } = row;
  if ((elsewhere || isArchived) && !isRunning(row)) return 'none';
  switch (state) {
    case 'waiting':
      return 'needsInput';
    case 'failed':
    case 'interrupted':
      return isUnseen ? 'failed' : 'none';
    case 'unread':
      return 'done';
    case 'busy':
      return 'working';
    case 'idle':
      return 'none';
  }
}

/** The most urgent first. */
const urgency = ['needsInput', 'failed', 'done', 'working'] as const;
type ShownMark = (typeof urgency)[number];

const descriptions: Record<ShownMark, string> = {
  needsInput: 'needs your input',
  failed: 'failed',
  done: 'is done',
  working: 'is working',
};

/** At most this many conversations are named. */
const maxNamed = 10;

/** Returns all marks of a window from the states of its conversations, newest first. */
export function chatMarks(rows: readonly MarkedRow[]): ChatMarks {
  const marked = rows.flatMap((row) => {
    const mark = markOf(row);
    return mark === 'none' ? [] : [{ ...row, mark }];
  });
  const byUrgency = urgency.flatMap((mark) => marked.filter((row) => row.mark === mark).sort(longestWaitFirst));
  const lines = byUrgency.map(
    ({ mark, state, title }) => `“${title}” ${state === 'interrupted' ? 'was interrupted' : descriptions[mark]}`,
  );
  const calling = byUrgency.filter(({ mark }) => mark !== 'working');
  const countOf = (mark: ShownMark): number => byUrgency.filter((row) => row.mark === mark).length;
  const [first] = byUrgency;
  return {
    tabs: new Map(marked.map(({ id, mark }) => [id, mark])),
    badge:
      calling.length > 0
        ? { value: calling.length, tooltip: named(lines.slice(0, calling.length)).join('\n') }
        : undefined,
    statusBar: first && highlightOf(first.mark, countOf, named(lines)),
    calling: calling.map(({ id }) => id),
  };
}

function named(lines: readonly string[]): readonly string[] {
  const others = lines.length - maxNamed;
  return others > 0 ? [...lines.slice(0, maxNamed), `and ${countWithNoun(others, 'more conversation')}`] : lines;
}

function highlightOf(mark: ShownMark, countOf: (mark: ShownMark) => number, lines: readonly string[]): StatusHighlight {
  const count = countOf(mark);
  const working = countOf('working');
  const command = commandIds.conversationsNextNeedsInput;
  switch (mark) {
    case 'needsInput':
      return {
        icon: 'bell-dot',
        text: `${count} ${count === 1 ? 'needs' : 'need'} you${working > 0 ? ` · ${working} working` : ''}`,
        isUrgent: true,
        lines,
        command,
      };
    case 'failed':
      return { icon: 'error', text: `${count} failed`, isUrgent: false, lines, command };
    case 'done':
      return { icon: 'pass', text: `${count} done`, isUrgent: false, lines, command };
    case 'working':
      // Without text, so that the neighbours in the status bar don't move with each turn.
      return { icon: 'loading~spin', isUrgent: false, lines };
  }
}
