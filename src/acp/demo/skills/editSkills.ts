import { basename } from 'node:path';
import { messageOf } from '../../../base/common/errors';
import { resolvePromptPath } from '../answer/prompt';
import { replaceWord } from './replaceWord';
import { sortImports } from './sortImports';
import { TurnCancelled, type ProposedEdit, type Turn } from '../answer/turn';

export async function renameInFile(turn: Turn, from: string, to: string, path: string | undefined): Promise<void> {
  await proposeChange(turn, path, (text, name) => {
    const { text: newText, replacementCount, firstLine } = replaceWord(text, from, to);
    if (replacementCount === 0) return `There is no word \`${from}\` in ${name}, so there is nothing to rename.`;
    return { title: `Rename ${from} to ${to} in ${name} (${replacementCount}×)`, newText, line: firstLine };
  });
}

export async function sortFileImports(turn: Turn, path: string | undefined): Promise<void> {
  await proposeChange(turn, path, (text, name) => {
    const newText = sortImports(text);
    if (newText === text) return `The imports of ${name} are already sorted.`;
    return { title: `Sort the imports of ${name}`, newText, line: firstDifference(text, newText) };
  });
}

type Change = Pick<ProposedEdit, 'title' | 'newText' | 'line'>;

/** Reads a file, computes a change or the reason why there is none, and proposes the change. */
async function proposeChange(
  turn: Turn,
  word: string | undefined,
  change: (text: string, name: string) => Change | string,
): Promise<void> {
  const path = word === undefined ? turn.prompt.files[0]?.path : resolvePromptPath(word, turn.cwd);
  if (path === undefined) {
    await turn.say('Which file? Add `in path/to/file`, or attach it.\n');
    return;
  }
  let oldText: string;
  try {
    oldText = await turn.readFile(path);
  } catch (error) {
    if (error instanceof TurnCancelled) throw error;
    await turn.say(`I could not read \`${path}\`: ${messageOf(error)}\n`);
    return;
  }
  const changed = change(oldText, basename(path));
  if (typeof changed === 'string') {
    await turn.say(`${changed}\n`);
    return;
  }
  const outcome = await turn.proposeEdit({ ...changed, path, oldText });
  switch (outcome.kind) {
    case 'written':
      await turn.say(`Done: ${changed.title}. You can undo it above the prompt.\n`);
      return;
    case 'rejected':
      await turn.say(`You denied the change, so ${basename(path)} was not changed.\n`);
      return;
    case 'shownOnly':
      await turn.say(`This client does not let me write files, so ${basename(path)} was not changed.\n`);
      return;
    case 'failed':
      await turn.say(`I could not write ${basename(path)}: ${outcome.reason}\n`);
  }
}

function firstDifference(before: string, after: string): number {
  const others = after.split('\n');
  return before.split('\n').findIndex((line, index) => line !== others[index]) + 1;
}
