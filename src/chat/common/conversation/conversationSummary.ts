import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Entry } from '../../../transcript/common/entries';

/** Maximum length of the summary in UTF-16 units, small enough for any context window. */
const maxUnits = 12 * 1024;
const maxEntryUnits = 2000;

/** Summarizes the latest entries for an agent that does not know the conversation. Empty without entries. */
export function conversationSummary(newestFirst: Iterable<Entry>): PromptAttachment[] {
  const lines: string[] = [];
  let cut = '';
  let units = 0;
  for (const entry of newestFirst) {
    const line = lineOf(entry);
    if (line === undefined) continue;
    units += line.length;
    if (units > maxUnits) {
      cut = '(The beginning is left out.)\n\n';
      break;
    }
    lines.unshift(line);
  }
  if (lines.length === 0) return [];
  return [{ type: 'text', title: 'The conversation so far', text: `${cut}${lines.join('\n\n')}` }];
}

function lineOf(entry: Entry): string | undefined {
  if (entry.kind === 'prompt') return `User: ${short(entry.text)}`;
  if (entry.kind === 'answer') return `Assistant: ${short(entry.text)}`;
  return entry.kind === 'tool' && entry.toolKind !== 'read' ? `Tool: ${entry.title} (${entry.state})` : undefined;
}

function short(text: string): string {
  return text.length <= maxEntryUnits ? text : `${text.slice(0, maxEntryUnits).toWellFormed()}…`;
}
