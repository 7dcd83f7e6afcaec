import { oneLine } from '../../../base/common/text/oneLine';
import type { Entry, ToolState } from '../../common/entries';
import { endWords, outcomeLabels, toolStateLabels } from '../../common/stateLabels';
import { toolFailureText } from '../../common/toolFailure';
import type { TranscriptChange } from './transcriptModel';

/** Converts Markdown to spoken text, with placeholders for code. */
type ToSpokenText = (markdown: string) => string;

/** Maximum length of an answer that is read aloud, in UTF-16 units. A longer text would take minutes. */
const maxSpokenUnits = 2_000;

const unannouncedToolStates: ReadonlySet<ToolState> = new Set(['pending', 'running', 'stale']);

/**
 * Returns announcements for a change: complete answers, prompts that have joined a turn, new states of tool calls, and ends
 * of turns. Does not announce text while it is streamed, and entries that are loaded later.
 */
export function createAnnouncements(
  { addedEntries: added, changedEntries }: Pick<TranscriptChange, 'addedEntries' | 'changedEntries'>,
  read: ToSpokenText,
): string[] {
  return [
    ...changedEntries.flatMap(({ from, to }) => announceEntry(to, read, from) ?? []),
    ...added.flatMap((entry) => announceEntry(entry, read) ?? []),
  ];
}

function announceEntry(entry: Entry, read: ToSpokenText, from?: Entry): string | undefined {
  switch (entry.kind) {
    case 'answer': {
      const wasStreaming = from === undefined || (from.kind === 'answer' && from.streaming === true);
      return wasStreaming && !entry.streaming ? answerAnnouncement(entry.text, read) : undefined;
    }
    case 'tool': {
      const hadState = from?.kind === 'tool' && from.state === entry.state;
      if (hadState || unannouncedToolStates.has(entry.state)) return undefined;
      return `${entry.title}: ${toolFailureText(entry) ?? toolStateLabels[entry.state]}`;
    }
    case 'end':
      return from
        ? undefined
        : [!entry.failure && `${outcomeLabels[entry.outcome]}.`, endWords(entry)].filter(Boolean).join(' ');
    case 'prompt':
      return entry.isSteered && !from ? 'Your prompt was added to the turn.' : undefined;
    case 'notice':
      return from ? undefined : entry.text;
    default:
      return undefined;
  }
}

function answerAnnouncement(markdown: string, read: ToSpokenText): string | undefined {
  const text = oneLine(read(markdown.slice(0, 2 * maxSpokenUnits)));
  if (text === '') return undefined;
  const isCut = markdown.length > 2 * maxSpokenUnits || text.length > maxSpokenUnits;
  return isCut ? `${text.slice(0, maxSpokenUnits)} … The answer continues.` : text;
}
