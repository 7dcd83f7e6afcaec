import { fenced } from '../answer/fenced';
import type { PromptNote } from '../answer/prompt';
import type { Turn } from '../answer/turn';

const mostQuoted = 20;
const longestQuote = 600;

/** Shows the attached texts, so that the user sees what an agent receives. */
export async function quote(turn: Turn): Promise<void> {
  const { notes } = turn.prompt;
  if (notes.length === 0) return;
  const left = notes.length - mostQuoted;
  await turn.say(
    notes.length === 1 ? 'With your prompt I got a text:\n\n' : `With your prompt I got ${notes.length} texts:\n\n`,
  );
  for (const note of notes.slice(0, mostQuoted)) await turn.say(blockOf(note));
  if (left > 0) await turn.say(`… and ${left} more.\n\n`);
}

function blockOf({ title, text }: PromptNote): string {
  const cut = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return `**${plain(title)}**\n\n${text === '' ? '' : `${fenced('text', cut)}\n`}`;
}

/** Escapes Markdown characters. */
function plain(title: string): string {
  return title.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
