import { fencedBlock } from '../answer/fenced';
import type { PromptAttachedText } from '../answer/prompt';
import type { Turn } from '../answer/turn';

const maxQuotes = 20;
const maxQuoteLength = 600;

/** Shows the attached texts, so that the user sees what an agent receives. */
export async function quoteAttachedTexts(turn: Turn): Promise<void> {
  const { notes } = turn.prompt;
  if (notes.length === 0) return;
  const remaining = notes.length - maxQuotes;
  await turn.say(
    notes.length === 1 ? 'Your prompt included this text:\n\n' : `Your prompt included ${notes.length} texts:\n\n`,
  );
  for (const note of notes.slice(0, maxQuotes)) await turn.say(quoteOf(note));
  if (remaining > 0) await turn.say(`… and ${remaining} more.\n\n`);
}

function quoteOf({ title, text }: PromptAttachedText): string {
  const cut = text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;
  return `**${escapeMarkdown(title)}**\n\n${text === '' ? '' : `${fencedBlock('text', cut)}\n`}`;
}

function escapeMarkdown(title: string): string {
  return title.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
