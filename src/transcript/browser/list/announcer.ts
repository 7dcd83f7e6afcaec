import { oneLine } from '../../../base/common/oneLine';
import type { Entry, EntryOf, ToolState } from '../../common/entries';
import { toolFailureText } from '../../common/toolTrouble';
import type { TranscriptChange } from './transcriptModel';

/** Converts Markdown to spoken text, with placeholders for code. */
type MarkdownReader = (markdown: string) => string;

/** Longer answers are truncated, since they would be read out for minutes. */
const maxSpoken = 2_000;

const toolWords: Partial<Record<ToolState, string>> = {
  waiting: 'waiting for your answer',
  done: 'done',
  failed: 'failed',
  cancelled: 'canceled',
  rejected: 'rejected',
  timedOut: 'not answered in time',
};

const outcomeWords: Record<EntryOf<'end'>['outcome'], string> = {
  completed: 'Done.',
  cancelled: 'Stopped.',
  interrupted: 'Interrupted.',
  failed: 'Failed.',
  refused: 'The agent refused.',
  limit: 'A limit was reached.',
};

/**
 * Returns announcements for a change: complete answers, new states of tool calls and ends of turns. Streaming text and
 * entries loaded later are not announced.
 */
export function announcementsOf({ isReset, added, changed }: TranscriptChange, read: MarkdownReader): string[] {
  if (isReset) return [];
  return [
    ...changed.flatMap(({ from, to }) => announcementOf(to, read, from) ?? []),
    ...added.flatMap((entry) => announcementOf(entry, read) ?? []),
  ];
}

function announcementOf(entry: Entry, read: MarkdownReader, from?: Entry): string | undefined {
  switch (entry.kind) {
    case 'answer': {
      const wasStreaming = from === undefined || (from.kind === 'answer' && from.streaming === true);
      return wasStreaming && !entry.streaming ? spoken(entry.text, read) : undefined;
    }
    case 'tool': {
      const word = toolFailureText(entry) ?? toolWords[entry.state];
      const hadState = from?.kind === 'tool' && from.state === entry.state;
      return word === undefined || hadState ? undefined : `${entry.title}: ${word}`;
    }
    case 'end':
      return from ? undefined : [outcomeWords[entry.outcome], entry.text].filter(Boolean).join(' ');
    case 'notice':
      return from ? undefined : entry.text;
    default:
      return undefined;
  }
}

function spoken(markdown: string, read: MarkdownReader): string | undefined {
  // Markup takes up some of the characters.
  const text = oneLine(read(markdown.slice(0, 2 * maxSpoken)));
  if (text === '') return undefined;
  const isCut = markdown.length > 2 * maxSpoken || text.length > maxSpoken;
  return isCut ? `${text.slice(0, maxSpoken)} … The answer continues.` : text;
}
