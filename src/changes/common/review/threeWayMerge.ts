import { hunksBetween, type Hunk, type LineRange } from './hunks';
import { lineEndingOf, splitLines } from './lines';

interface MergeInput {
  /** The text of the common ancestor. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Hunks of both sides that overlap or are adjacent. `base` is the range of base lines that they cover. */
interface Group {
  base: LineRange;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

interface PartlyMerged {
  /** The text of `theirs`, with the changes of `ours` that do not conflict. */
  readonly text: string;
  /** Number of groups of lines that only `ours` changed. `conflictCount`: groups that both changed differently. */
  readonly mergedCount: number;
  readonly conflictCount: number;
}

/**
 * Merges the changes of both sides, with the line endings of `theirs`. Returns undefined if the sides changed the same
 * or adjacent lines differently, or if one side changed the line endings.
 */
export function mergeTexts(input: MergeInput): string | undefined {
  const { conflictCount, text } = mergePreferringTheirs(input);
  return conflictCount === 0 ? text : undefined;
}

/**
 * Like `mergeTexts`, but keeps the lines of `theirs` where the sides conflict. Uses `hunksBetween`, whose time is
 * limited, because merge libraries take seconds for texts with thousands of repeated lines.
 */
export function mergePreferringTheirs({ base, ours, theirs }: MergeInput): PartlyMerged {
  if (ours === base || ours === theirs) return { text: theirs, mergedCount: 0, conflictCount: 0 };
  if (theirs === base) return { text: ours, mergedCount: hunksBetween(base, ours).length, conflictCount: 0 };
  const ending = lineEndingOf(theirs);
  if ([base, ours].some((text) => text.includes('\n') && lineEndingOf(text) !== ending)) {
    return { text: theirs, mergedCount: 0, conflictCount: 1 };
  }
  const [baseLines, ourLines, theirLines] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const merged: string[] = [];
  let [conflictCount, copied, mergedCount] = [0, 0, 0];
  for (const group of groupsOf(hunksBetween(base, ours), hunksBetween(base, theirs))) {
    merged.push(...baseLines.slice(copied, group.base.start));
    copied = group.base.end;
    const our = linesOfSide(ourLines, group.ours, group.base);
    const their = linesOfSide(theirLines, group.theirs, group.base);
    const isConflict = our !== undefined && their !== undefined && !isSame(our, their);
    if (isConflict) conflictCount++;
    else if (!their) mergedCount++;
    merged.push(...((isConflict ? their : our) ?? their ?? []));
  }
  return { text: [...merged, ...baseLines.slice(copied)].join(ending), mergedCount, conflictCount };
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

/** Returns the lines that replace these base lines on one side. Undefined if this side did not change them. */
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
