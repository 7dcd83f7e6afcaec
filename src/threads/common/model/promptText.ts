import { isRecord, asList, asNonEmptyText, type JsonRecord } from './jsonValues';

/** Joins the text blocks of a user's message. Omits results of tools and blocks that Amp hides. */
export function promptText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = asList(content).flatMap((block) =>
    isRecord(block) && block['type'] === 'text' && block['hidden'] !== true && typeof block['text'] === 'string'
      ? block['text']
      : [],
  );
  return texts.length === 1 ? (texts[0] ?? '') : texts.join('\n\n');
}

/** Whether a message is a prompt by the user. As in Amp, results of tools and prompts to subagents are not. */
export function isPrompt({ role, content, parentToolUseId }: JsonRecord): boolean {
  if (role !== 'user' || asNonEmptyText(parentToolUseId) !== undefined) return false;
  if (typeof content === 'string') return content !== '';
  return asList(content).some(
    (block) => !isRecord(block) || (block['type'] !== 'tool_result' && block['hidden'] !== true),
  );
}
