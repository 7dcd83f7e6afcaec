import type { CommentPlace } from './placeComment';

/** A thread as the agent is told of it. */
export interface CommentToSend {
  readonly number: number;
  /** Path for the prompt, as the user sees it. */
  readonly shownPath: string;
  /** Whether it is about a text of the file in a diff, and not about the file. */
  readonly isOnTextOfDiff: boolean;
  /** The lines as they were when the comment was written, and their first one, 0-based. */
  readonly lines: string;
  readonly firstLine: number;
  /** Where they are now. */
  readonly place: CommentPlace;
  /** What was said in the thread before, oldest first. */
  readonly earlier: readonly { readonly author: string; readonly text: string }[];
  /** What the user says now. */
  readonly texts: readonly string[];
}

const maxQuotedUnits = 8_000;

/** Returns the one prompt that sends comments, as Markdown. */
export function reviewPrompt(comments: readonly CommentToSend[]): string {
  const intro =
    comments.length === 1
      ? 'Here is a review comment on code of this workspace.'
      : `Here are ${comments.length} review comments on code of this workspace.`;
  const example = `C${comments[0]?.number ?? 1}`;
  return [
    `${intro} Do what ${comments.length === 1 ? 'it asks' : 'each of them asks'}, then answer in your last message: ` +
      `one paragraph for each comment that begins with its number, for example “${example}: …”. Write the numbers only there.`,
    ...comments.map(partOf),
  ].join('\n\n');
}

function partOf(comment: CommentToSend): string {
  const { earlier, isOnTextOfDiff, lines, number, place, shownPath, texts } = comment;
  return [
    `## C${number}: ${shownPath}, ${placeInWords(comment)}`,
    ...(isOnTextOfDiff
      ? ['This is about a text of the file in a diff, which may differ from the file as it is now.']
      : []),
    ...(place.kind === 'changed'
      ? ['The lines were, when the comment was written:', quote(place.before), 'They are now:', quote(place.after)]
      : [quote(lines)]),
    ...earlier.map(({ author, text }) => `${author} wrote before:\n\n${indented(text)}`),
    ...texts.map((text) => `Comment:\n\n${indented(text)}`),
  ].join('\n\n');
}

function placeInWords({ firstLine, isOnTextOfDiff, lines, place }: CommentToSend): string {
  const range = place.kind === 'gone' ? { start: firstLine, end: firstLine + lines.split('\n').length } : place.lines;
  const count = range.end - range.start;
  const words = count > 1 ? `lines ${range.start + 1} to ${range.end}` : `line ${range.start + 1}`;
  return place.kind === 'gone' && !isOnTextOfDiff ? `${words} (these lines are gone)` : words;
}

/** A code block whose fence is longer than any in the code. */
function quote(code: string): string {
  const shown = code.length <= maxQuotedUnits ? code : `${code.slice(0, maxQuotedUnits)}\n…`;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** So that nothing in a comment is taken for the heading of another one. */
function indented(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
