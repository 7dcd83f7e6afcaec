import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Entry } from '../../../transcript/common/entries';

/** Maximum length of the summary in UTF-16 units, small enough for any context window. */
const maxUnits = 12 * 1024;
const maxEntryUnits = 2000;

/** Summarizes the latest entries for an agent that does not know the conversation. Empty without entries. */
export function conversationSummary(entries: Iterable<Entry>): PromptAttachment[] {
  const lines: string[] = [];
  for (const entry of entries) {
    if (entry.kind === 'prompt') lines.push(`User: ${short(entry.text)}`);
    else if (entry.kind === 'answer') lines.push(`Assistant: ${short(entry.text)}`);
    else if (entry.kind === 'tool' && entry.toolKind !== 'read') lines.push(`Tool: ${entry.title} (${entry.state})`);
  }
  if (lines.length === 0) return [];
  const recentLines: string[] = [];
  let units = 0;
  for (const line of lines.toReversed()) {
    units += line.length;
    if (units > maxUnits) break;
    recentLines.unshift(line);
  }
  const cut = recentLines.length < lines.length ? '(The beginning is left out.)\n\n' : '';
  return [{ type: 'text', title: 'The conversation so far', text: `${cut}${recentLines.join('\n\n')}` }];
}

function short(text: string): string {
  return text.length <= maxEntryUnits ? text : `${text.slice(0, maxEntryUnits).toWellFormed()}…`;
}
