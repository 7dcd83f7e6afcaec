import { oneLine } from '../../../base/common/oneLine';
import type { Entry, EntryOf, ToolState } from '../../common/entries';
import { toolTrouble } from '../../common/toolTrouble';
import type { TranscriptChange } from './transcriptModel';

/** The words of a markdown text without its marks; code is named, not read out. */
type MarkdownReader = (markdown: string) => string;

/** A screen reader takes minutes for more; the answer itself is there to be read. */
const maxSpoken = 2_000;

const toolWords: Partial<Record<ToolState, string>> = {
  waiting: 'waits for your decision',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  rejected: 'rejected',
  timedOut: 'was not answered in time',
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
 * What a change is to be said aloud: answers once and whole when they have ended, calls when their state changes, the end
 * of a turn. Nothing while text comes, and nothing of what was there before.
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
      const word = toolTrouble(entry) ?? toolWords[entry.state];
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
  // Its marks take some of it.
  const text = oneLine(read(markdown.slice(0, 2 * maxSpoken)));
  if (text === '') return undefined;
  const isCut = markdown.length > 2 * maxSpoken || text.length > maxSpoken;
  return isCut ? `${text.slice(0, maxSpoken)} … The answer goes on.` : text;
}
