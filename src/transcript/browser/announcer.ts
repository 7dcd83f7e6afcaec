import type { Entry, EntryOf, ToolState } from '../common/entries';
import type { TranscriptChange } from './transcriptModel';

/** A screen reader takes minutes for more; the answer itself is there to be read. */
const maxSpoken = 2_000;

const toolWords: Partial<Record<ToolState, string>> = {
  waiting: 'waits for your decision',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  rejected: 'rejected',
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
export function announcementsOf({ isReset, added, changed }: TranscriptChange): string[] {
  if (isReset) return [];
  return [
    ...changed.flatMap(({ from, to }) => announcementOf(to, from) ?? []),
    ...added.flatMap((entry) => announcementOf(entry) ?? []),
  ];
}

function announcementOf(entry: Entry, from?: Entry): string | undefined {
  switch (entry.kind) {
    case 'answer': {
      const wasStreaming = from === undefined || (from.kind === 'answer' && from.streaming === true);
      return wasStreaming && !entry.streaming ? spoken(entry.text) : undefined;
    }
    case 'tool': {
      const word = toolWords[entry.state];
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

/** Markdown without its marks; code is named, not read out. */
function spoken(markdown: string): string | undefined {
  const text = markdown
    .replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, ' (code) ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return undefined;
  return text.length > maxSpoken ? `${text.slice(0, maxSpoken)} … The answer goes on.` : text;
}
