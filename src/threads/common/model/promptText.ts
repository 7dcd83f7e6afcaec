import { isRecord, listOf, textOf, type JsonRecord } from './jsonValues';

/** What a user wrote in a message: its blocks of text, without what Amp hides and without what tools gave back. */
export function promptText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).flatMap((block) =>
    isRecord(block) && block['type'] === 'text' && block['hidden'] !== true && typeof block['text'] === 'string'
      ? block['text']
      : [],
  );
  return texts.length === 1 ? (texts[0] ?? '') : texts.join('\n\n');
}

/** As Amp counts: what users wrote, not what tools gave back, and not what subagents were told. */
export function isPrompt({ role, content, parentToolUseId }: JsonRecord): boolean {
  if (role !== 'user' || textOf(parentToolUseId) !== undefined) return false;
  if (typeof content === 'string') return content !== '';
  return listOf(content).some(
    (block) => !isRecord(block) || (block['type'] !== 'tool_result' && block['hidden'] !== true),
  );
}
