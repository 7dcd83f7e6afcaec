import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { oneLine } from '../../../base/common/text/oneLine';
import { toVisibleText } from '../../../base/common/text/visibleText';
import type { Part } from '../../../transcript/common/entries';
import type { ApprovalView } from '../chatView';
import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

type ApprovalSummary = Pick<ApprovalView, 'prompt' | 'title' | 'asks' | 'parts'>;

/** Returns the heading of an approval. Omits the agent and the command, because the card shows them next to it. */
export function approvalTitle({ asks, parts, prompt, title: ownTitle }: ApprovalSummary): string {
  const line = oneLine(prompt);
  const agent = escapeRegExp(asks);
  const [, wish, request] = new RegExp(`^${agent} wants to (.+)$|^Request from ${agent}: (.+)$`, 'iu').exec(line) ?? [];
  const rest = wish ?? request;
  const title = rest === undefined ? line : rest.slice(0, 1).toUpperCase() + rest.slice(1);
  const [first] = parts;
  const command = first?.type === 'terminal' ? first.command : undefined;
  const isRepeated = command !== undefined && /^run /i.test(title) && title.includes(oneLine(command).slice(0, 20));
  const inShell = /^Run in a shell \(\w+\)/.exec(title)?.[0];
  return isRepeated ? (inShell ?? ownTitle ?? 'Run a command') : title;
}

/** The agent's description of a command, as a title. It is quoted, so that nobody takes it for words of Backline. */
export function quotedTitle(description: string): string {
  return `“${description.trim().replaceAll(/[“”]/g, "'")}”`;
}

/** Maximum length of a subagent's name on a card, in UTF-16 units. */
const maxNameUnits = 60;

/** The agent's title of a subagent, so short and without quotes that nobody takes it for the request. */
export function subagentName(title: string): string {
  const name = toVisibleText(oneLine(title)).replaceAll(/["“”„«»]/g, "'");
  return name.length > maxNameUnits ? `${name.slice(0, maxNameUnits - 1)}…` : name;
}

/** Returns what screen readers say of the request before its parts: what is asked comes before the agent's words for it. */
export function spokenTitle(approval: ApprovalSummary): string {
  const title = approvalTitle(approval);
  return title === approval.title && title.startsWith('“') ? `Run a command, ${title}` : title;
}

/** Describes the parts for screen readers, for example `command, 12 lines`. Undefined if there are none. */
export function describeParts(parts: readonly Part[]): string | undefined {
  const words = parts.map(describePart);
  return words.length === 0 ? undefined : words.join('; ');
}

/** Counts lines, ignoring trailing line breaks. */
function lineCount(text: string): number {
  return text.trimEnd().split(/\r\n|\r|\n/).length;
}

function describePart(part: Part): string {
  switch (part.type) {
    case 'terminal':
      return `command, ${countWithNoun(lineCount(part.command ?? part.output), 'line')}`;
    case 'diff':
      return `changes to ${part.path}, ${part.added} added, ${part.removed} removed`;
    case 'file':
      return `content of ${part.path}, ${countWithNoun(lineCount(part.text), 'line')}`;
    case 'text':
      return `text, ${countWithNoun(lineCount(part.text), 'line')}`;
    case 'json':
      return `input, ${countWithNoun(lineCount(part.json), 'line')}`;
    case 'link':
      return `link ${part.uri}`;
    case 'list':
      return part.items.join(', ');
    case 'image':
      return 'image';
  }
}
