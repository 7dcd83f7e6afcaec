import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Entry } from '../../../transcript/common/entries';

/** In UTF-16 units; small enough for any context window. */
const maxUnits = 12 * 1024;
const maxEntryUnits = 2000;

/** Summarizes the most recent entries for an agent that does not know the conversation. Empty if there are none. */
export function conversationDigest(entries: Iterable<Entry>): PromptAttachment[] {
  const said: string[] = [];
  for (const entry of entries) {
    if (entry.kind === 'prompt') said.push(`User: ${short(entry.text)}`);
    else if (entry.kind === 'answer') said.push(`Assistant: ${short(entry.text)}`);
    else if (entry.kind === 'tool' && entry.toolKind !== 'read') said.push(`Tool: ${entry.title} (${entry.state})`);
  }
  if (said.length === 0) return [];
  const kept: string[] = [];
  let units = 0;
  for (const line of said.toReversed()) {
    units += line.length;
    if (units > maxUnits) break;
    kept.unshift(line);
  }
  const cut = kept.length < said.length ? '(The beginning is left out.)\n\n' : '';
  return [{ type: 'text', title: 'The conversation so far', text: `${cut}${kept.join('\n\n')}` }];
}

function short(text: string): string {
  return text.length <= maxEntryUnits ? text : `${text.slice(0, maxEntryUnits).toWellFormed()}…`;
}
