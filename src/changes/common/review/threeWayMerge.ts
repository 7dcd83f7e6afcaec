import { hunksBetween, type Hunk, type LineRange } from './hunks';
import { lineEndingOf, splitLines } from './lines';

interface MergeInput {
  /** The common ancestor. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Hunks of both sides that overlap or touch each other. `base` is the range of base lines that they cover. */
interface Group {
  base: LineRange;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/**
 * Merges the changes of both sides, with the line endings of `theirs`. Returns undefined if the sides changed the same or adjacent
 * lines differently, or if one of them changed the line endings. Uses the bounded comparison of `hunksBetween`, because merge
 * libraries take seconds for texts with thousands of repeated lines.
 */
export function mergeTexts({ base, ours, theirs }: MergeInput): string | undefined {
  if (ours === base) return theirs;
  if (theirs === base || ours === theirs) return ours;
  const ending = lineEndingOf(theirs);
  if ([base, ours].some((text) => text.includes('\n') && lineEndingOf(text) !== ending)) return undefined;
  const [baseLines, ourLines, theirLines] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const merged: string[] = [];
  let copied = 0;
  for (const group of groupsOf(hunksBetween(base, ours), hunksBetween(base, theirs))) {
    merged.push(...baseLines.slice(copied, group.base.start));
    copied = group.base.end;
    const our = linesOfSide(ourLines, group.ours, group.base);
    const their = linesOfSide(theirLines, group.theirs, group.base);
    if (our && their && !isSame(our, their)) return undefined;
    merged.push(...(our ?? their ?? []));
  }
  return [...merged, ...baseLines.slice(copied)].join(ending);
}

function groupsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): Group[] {
  const sides = [
    ...ours.map((hunk) => ({ side: 'ours' as const, hunk })),
    ...theirs.map((hunk) => ({ side: 'theirs' as const, hunk })),
  ].sort((one, other) => one.hunk.before.start - other.hunk.before.start);
  const groups: Group[] = [];
  for (const { hunk, side } of sides) {
    let group = groups.at(-1);
    if (!group || hunk.before.start > group.base.end) {
      group = { base: hunk.before, ours: [], theirs: [] };
      groups.push(group);
    }
    group.base = { start: group.base.start, end: Math.max(group.base.end, hunk.before.end) };
    group[side].push(hunk);
  }
  return groups;
}

/** Returns the lines of a side that replace these base lines; undefined if the side did not change them. */
function linesOfSide(lines: readonly string[], hunks: readonly Hunk[], base: LineRange): string[] | undefined {
  const [first] = hunks;
  const last = hunks.at(-1);
  if (!first || !last) return undefined;
  const start = first.after.start - (first.before.start - base.start);
  const end = last.after.end + (base.end - last.before.end);
  return lines.slice(start, end);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
