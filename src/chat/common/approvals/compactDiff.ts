import { diffWordsWithSpace } from 'diff';
import type { DiffHunk, DiffLine, DiffPart } from '../../../transcript/common/entries';

/** Lines of context around the changes of a hunk. */
const contextLines = 1;
/** Maximum number of pairs of lines that are compared word by word. */
const maxPairs = 50;
/** Maximum length of a line that is compared word by word, in UTF-16 units. */
const maxComparedUnits = 400;

/** Maximum number of words that are removed from and added to a line whose words are marked. More would only be noise. */
const maxChangedWords = 60;

/**
 * Prepares a diff for the little space of an approval: less context, the indentation that all lines share is cut, the changed
 * words of lines that replace each other are marked, and a change of nothing but white space says so.
 */
export function compactDiff(part: DiffPart): DiffPart {
  const hunks = markWords(part.hunks.map(withLessContext));
  const isSpaceOnly = (part.omitted ?? 0) === 0 && changesOnlySpace(hunks);
  return { ...part, hunks: withoutSharedIndentation(hunks), ...(isSpaceOnly ? { isSpaceOnly } : {}) };
}

function withLessContext({ lines, newStart, oldStart }: DiffHunk): DiffHunk {
  const isChange = ({ kind }: DiffLine): boolean => kind !== 'context';
  const start = Math.max(0, lines.findIndex(isChange) - contextLines);
  const end = lines.findLastIndex(isChange) + 1 + contextLines;
  return { oldStart: oldStart + start, newStart: newStart + start, lines: lines.slice(start, end) };
}

/** Whether each line has only other space around and between its words, or is blank. A word is never split or joined. */
function changesOnlySpace(hunks: readonly DiffHunk[]): boolean {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const wordsWithout = (left: DiffLine['kind']): string =>
    lines
      .flatMap(({ kind, text }) => (kind === left ? [] : text.replaceAll(/[ \t]+/g, ' ').replaceAll(/^ | $/g, '')))
      .filter((text) => text !== '')
      .join('\n');
  return lines.some(({ kind }) => kind !== 'context') && wordsWithout('add') === wordsWithout('remove');
}

function withoutSharedIndentation(hunks: readonly DiffHunk[]): DiffHunk[] {
  const written = hunks.flatMap(({ lines }) => lines.map(({ text }) => text)).filter((text) => /[^ \t]/.test(text));
  const [first = '', ...others] = written.map((text) => /^[ \t]*/.exec(text)?.[0] ?? '');
  let count = first.length;
  for (const indentation of others) while (!indentation.startsWith(first.slice(0, count))) count--;
  if (count === 0) return [...hunks];
  const cut = ({ marks, text, ...line }: DiffLine): DiffLine => ({
    ...line,
    text: text.slice(count),
    ...(marks && { marks: marks.map(([from, to]) => [Math.max(0, from - count), Math.max(0, to - count)]) }),
  });
  return hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(cut) }));
}

/** Marks what differs in lines that replace each other: as many added lines directly after as many removed ones. */
function markWords(hunks: readonly DiffHunk[]): DiffHunk[] {
  let pairsLeft = maxPairs;
  return hunks.map((hunk) => {
    const lines = [...hunk.lines];
    for (let start = 0; start < lines.length;) {
      const removed = countOf(lines, start, 'remove');
      const added = countOf(lines, start + removed, 'add');
      for (let at = start; removed === added && at < start + removed && pairsLeft > 0; at++, pairsLeft--) {
        const [before, after] = [lines[at], lines[at + removed]];
        const marks = before && after && markPair(before.text, after.text);
        if (!marks) continue;
        lines[at] = { ...before, marks: marks.before };
        lines[at + removed] = { ...after, marks: marks.after };
      }
      start += Math.max(1, removed + added);
    }
    return { ...hunk, lines };
  });
}

function countOf(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

type Ranges = NonNullable<DiffLine['marks']>;

/** Undefined if the lines have little in common, because then marks would only be noise. */
function markPair(before: string, after: string): { before: Ranges; after: Ranges } | undefined {
  if (Math.max(before.length, after.length) > maxComparedUnits) return undefined;
  const marks: { before: Ranges; after: Ranges } = { before: [], after: [] };
  let [oldAt, newAt, common] = [0, 0, 0];
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxChangedWords });
  if (!changes) return undefined;
  for (const { added, removed, value } of changes) {
    if (removed) marks.before.push([oldAt, oldAt + value.length]);
    else if (added) marks.after.push([newAt, newAt + value.length]);
    else common += value.trim().length;
    if (!added) oldAt += value.length;
    if (!removed) newAt += value.length;
  }
  const longer = Math.max(before.trim().length, after.trim().length);
  return common * 2 >= longer ? marks : undefined;
}
