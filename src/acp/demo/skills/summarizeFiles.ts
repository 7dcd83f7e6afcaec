import { basename } from 'node:path';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { messageOf } from '../../../base/common/errors';
import { createOutline } from './outline';
import { resolvePromptPath, type PromptFile } from '../answer/prompt';
import { TurnCancelled, type Turn } from '../answer/turn';

const maxListed = 40;

export async function summarizeFiles(turn: Turn, paths: readonly string[]): Promise<void> {
  const named = paths.map((path) => ({ path: resolvePromptPath(path, turn.cwd) }));
  const files = turn.prompt.files.length > 0 ? turn.prompt.files : named;
  if (files.length === 0) {
    await turn.say('Which file? Name it, as in `/summarize src/main.ts`, or attach it.\n');
    return;
  }
  await turn.think(
    `The prompt names ${files.map(({ path }) => basename(path)).join(', ')}, so I’ll summarize what is in it.`,
  );
  for (const file of files) await summarizeFile(turn, file);
}

async function summarizeFile(turn: Turn, { path, text }: PromptFile): Promise<void> {
  let content: string;
  try {
    content = text ?? (await turn.readFile(path));
  } catch (error) {
    if (error instanceof TurnCancelled) throw error;
    await turn.say(`I could not read \`${path}\`: ${messageOf(error)}\n\n`);
    return;
  }
  await turn.say(summaryOf(path, content));
}

function summaryOf(path: string, text: string): string {
  const { lineCount, importCount, declarations, todos } = createOutline(path, text);
  const counts = [
    countWithNoun(lineCount, 'line'),
    countWithNoun(declarations.length, 'declaration'),
    countWithNoun(importCount, 'import'),
    countWithNoun(todos.length, 'TODO'),
  ];
  const parts = [`**${basename(path)}**: ${counts.join(', ')}.`];
  if (declarations.length > 0) {
    parts.push(bulletList(declarations.map(({ kind, name, line }) => `${kind} \`${name}\`, line ${line}`)));
  }
  if (todos.length > 0) {
    parts.push(`To do:\n\n${bulletList(todos.map(({ text: todo, line }) => `line ${line}: ${todo || '(no text)'}`))}`);
  }
  return `${parts.join('\n\n')}\n\n`;
}

function bulletList(items: readonly string[]): string {
  const shown = items.slice(0, maxListed).map((item) => `- ${item}`);
  return [...shown, ...(items.length > maxListed ? [`- … and ${items.length - maxListed} more`] : [])].join('\n');
}
