import { diffArrays } from 'diff';
import { commonPrefixAndSuffix } from '../../../base/common/text/commonPrefixAndSuffix';
import { lineEndingOf, splitLines } from './lines';

/** A range of 0-based lines; `end` is the line after the last one. The range is empty if `start` equals `end`. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A range of baseline lines, and the range of lines that replaced it. */
export interface Hunk {
  readonly before: LineRange;
  readonly after: LineRange;
}

/** Maximum number of differing lines to compare, as the time grows with the square. With more, all is one hunk. */
const maxEdits = 800;

/** Returns the hunks between two texts, from top to bottom. Line endings are not compared. */
export function hunksBetween(before: string, after: string): Hunk[] {
  return hunksOfLines(splitLines(before), splitLines(after));
}

/** The same for texts that are split already. */
export function hunksOfLines(old: readonly string[], current: readonly string[]): Hunk[] {
  const { end, start } = commonPrefixAndSuffix(old, current);
  const removed = old.slice(start, old.length - end);
  const added = current.slice(start, current.length - end);
  const pieces = diffArrays(removed, added, { maxEditLength: maxEdits });
  if (!pieces) {
    return [{ before: { start, end: old.length - end }, after: { start, end: current.length - end } }];
  }
  const hunks: Hunk[] = [];
  let open: Hunk | undefined;
  let [oldLine, newLine] = [start, start];
  for (const piece of pieces) {
    const count = piece.value.length;
    if (!piece.added && !piece.removed) {
      if (open) hunks.push(open);
      open = undefined;
      oldLine += count;
      newLine += count;
      continue;
    }
    open ??= { before: { start: oldLine, end: oldLine }, after: { start: newLine, end: newLine } };
    if (piece.removed) oldLine += count;
    else newLine += count;
    open = { before: { ...open.before, end: oldLine }, after: { ...open.after, end: newLine } };
  }
  if (open) hunks.push(open);
  return hunks;
}

/** Replaces the lines of `range` with lines of `source`. Keeps the line endings of `text`. */
export function replaceLines(text: string, range: LineRange, source: string, sourceRange: LineRange): string {
  const lines = splitLines(text);
  const replacement = splitLines(source).slice(sourceRange.start, sourceRange.end);
  lines.splice(range.start, range.end - range.start, ...replacement);
  return lines.join(lineEndingOf(text));
}
