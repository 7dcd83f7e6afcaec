import type { PromptAttachedText } from '../answer/prompt';
import type { Turn } from '../answer/turn';
import { renameInFile } from './editSkills';

/** A review comment, as Backline's prompt names it. */
interface ReviewComment {
  readonly number: string;
  /** Path relative to the workspace. */
  readonly path: string;
  readonly text: string;
}

/** Whether a text has review comments with numbers. */
export function hasReviewComments({ text, title }: PromptAttachedText): boolean {
  return title === 'Comments' && commentsIn(text).length > 0;
}

/** Does what comments such as “Rename total to sum” ask for, and answers each by its number. */
export async function answerComments(turn: Turn): Promise<void> {
  const comments = turn.prompt.notes.filter(hasReviewComments).flatMap(({ text }) => commentsIn(text));
  const answers: string[] = [];
  for (const { number, path, text } of comments) {
    const rename = /^rename\s+(\S+)\s+to\s+(\w+)/i.exec(text);
    const [, from = '', to = ''] = rename ?? [];
    if (rename) await renameInFile(turn, from, to, path);
    answers.push(
      `C${number}: ${rename ? `I was asked to rename \`${from}\` to \`${to}\`.` : `I have read “${text}”.`}`,
    );
  }
  await turn.say(`\n${answers.join('\n\n')}\n`);
}

function commentsIn(text: string): ReviewComment[] {
  const headings = /^## C(\d+): (.+), lines? \d.*$/;
  const found: ReviewComment[] = [];
  let open: Omit<ReviewComment, 'text'> | undefined;
  let isComment = false;
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    if (fence === undefined && /^`{3,}$/.test(line)) fence = line;
    else if (line === fence) fence = undefined;
    if (fence !== undefined) continue;
    const [, number, path] = headings.exec(line) ?? [];
    if (number !== undefined && path !== undefined) open = { number, path };
    if (line !== '' && !line.startsWith('>')) isComment = line === 'Comment:';
    if (!open || !isComment || !line.startsWith('> ')) continue;
    found.push({ ...open, text: line.slice(2) });
    open = undefined;
  }
  return found;
}
