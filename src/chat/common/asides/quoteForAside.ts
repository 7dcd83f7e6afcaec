import type { Hunk, LineRange } from '../../../changes/common/review/hunks';
import { splitLines } from '../../../changes/common/review/lines';
import type { TextsShownToUser } from '../../../changes/common/review/reviewSource';

/** Longest part of an answer that is quoted, in UTF-16 units. */
const maxUnits = 8000;
/** Of each of the two texts of a change. */
const maxSideUnits = 3500;

/** A change of an agent that a side question is about. */
export interface ChangeInQuestion {
  /** Path for the user, relative to the workspace. */
  readonly path: string;
  readonly hunk: Hunk;
  readonly seen: TextsShownToUser;
}

/** Returns the beginning of a side question: the text that it is about as a Markdown quote. Empty for blank text. */
export function quoteForAside(text: string): string {
  const shown = text.trim();
  if (shown === '') return '';
  const lines = cutTo(maxUnits, shown)
    .split(/\r\n|\r|\n/)
    .map((line) => (line.trim() === '' ? '>' : `> ${line}`));
  return `${lines.join('\n')}\n\n`;
}

/** Returns the beginning of a side question about a change: its path, its lines, and their texts before and after as a diff. */
export function quoteChangeForAside({ hunk: { after, before }, path, seen }: ChangeInQuestion): string {
  const [old, current] = [namesOf(before), namesOf(after)];
  const what =
    before.start === before.end
      ? `${current} ${isOne(after) ? 'is' : 'are'} new`
      : after.start === after.end
        ? `${old} ${isOne(before) ? 'is' : 'are'} gone`
        : `${old} became ${current}`;
  const body = [...linesOf(seen.baseline, before, '-'), ...linesOf(seen.text, after, '+')];
  // Each line has a mark before it, so that no line of the file ends the block.
  return quoteForAside([`Change in ${path}: ${what}.`, '```diff', ...body, '```'].join('\n'));
}

function linesOf(text: string, { end, start }: LineRange, mark: '+' | '-'): string[] {
  if (start === end) return [];
  const lines = splitLines(text).slice(start, end).join('\n');
  return splitLines(cutTo(maxSideUnits, lines)).map((line) => `${mark}${line}`);
}

function namesOf(range: LineRange): string {
  return isOne(range) ? `line ${range.end}` : `lines ${range.start + 1}–${range.end}`;
}

function isOne({ end, start }: LineRange): boolean {
  return end - start === 1;
}

function cutTo(most: number, text: string): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
