import { hunksBetween, type Hunk, type LineRange } from '../../changes/common/review/hunks';
import { splitLines } from '../../changes/common/review/lines';
import { likelySuccessors } from './likelySuccessors';

/** Larger texts are not stored whole, in UTF-16 units. */
const maxStoredUnits = 1024 * 1024;
/** So many lines before and after the commented ones are stored of a larger text. */
const contextLines = 5;
/** A block of this many lines, or with a line of so many characters, is found again by its content alone. */
const distinctiveLines = 3;
const distinctiveCharacters = 20;

/** The text in which the lines of a comment were last whole. */
export interface CommentHome {
  readonly text: string;
  /** The commented lines of `text`: 0-based, at least one. */
  readonly lines: LineRange;
  /** Whether `text` is only the part of a large text around the lines. */
  readonly isPart: boolean;
}

/** Where the lines of a comment are in another text. Ranges are of its 0-based lines. */
export type CommentPlace =
  | { readonly kind: 'same'; readonly lines: LineRange }
  /** `before`: the commented lines. `after`: the lines that replaced them. */
  | { readonly kind: 'changed'; readonly lines: LineRange; readonly before: string; readonly after: string }
  | { readonly kind: 'gone' };

const gone: CommentPlace = { kind: 'gone' };

/** Returns the home of a comment on lines of `text`. `lines` must be inside of it. */
export function commentHome(text: string, lines: LineRange): CommentHome {
  if (text.length <= maxStoredUnits) return { text, lines, isPart: false };
  const start = Math.max(0, lines.start - contextLines);
  const part = splitLines(text).slice(start, lines.end + contextLines);
  return { text: part.join('\n'), lines: { start: lines.start - start, end: lines.end - start }, isPart: true };
}

/** Finds the lines of a comment in another text. Says `gone` rather than naming lines that a person would not. */
export function placeComment(home: CommentHome, text: string): CommentPlace {
  return createPlacer(home, text)(home.lines);
}

/** As `placeComment`, for many comments whose homes have the same text: it is compared only once. */
export function createPlacer(
  home: Pick<CommentHome, 'text' | 'isPart'>,
  text: string,
): (lines: LineRange) => CommentPlace {
  if (home.text === text) return (lines) => ({ kind: 'same', lines });
  const old = splitLines(home.text);
  const current = splitLines(text);
  if (home.isPart) return (lines) => placeByContent(old, lines, current);
  const hunks = hunksBetween(home.text, text);
  return (lines) => {
    const touching = hunks.filter((hunk) => touches(hunk, lines));
    if (touching.length === 0) return { kind: 'same', lines: shifted(lines, hunks) };
    return findMoved(old, lines, current) ?? findChanged({ old, current, lines, hunks, touching });
  };
}

/** Whether a hunk changes these lines, or adds lines between them. */
function touches({ before }: Hunk, lines: LineRange): boolean {
  if (before.start === before.end) return before.start > lines.start && before.start < lines.end;
  return before.start < lines.end && before.end > lines.start;
}

function shifted(lines: LineRange, hunks: readonly Hunk[]): LineRange {
  const added = hunks
    .filter(({ before }) => before.end <= lines.start)
    .reduce((sum, { after, before }) => sum + after.end - after.start - (before.end - before.start), 0);
  return { start: lines.start + added, end: lines.end + added };
}

/** Finds lines that stand elsewhere now, if their content can only mean them. */
function findMoved(old: readonly string[], lines: LineRange, current: readonly string[]): CommentPlace | undefined {
  const block = old.slice(lines.start, lines.end);
  if (!isDistinctive(block) || occurrences(old, block).length !== 1) return undefined;
  const [start, ...others] = occurrences(current, block);
  if (start === undefined || others.length > 0) return undefined;
  return { kind: 'same', lines: { start, end: start + block.length } };
}

function isDistinctive(block: readonly string[]): boolean {
  const hasWords = block.some((line) => /[\p{L}\p{N}]/u.test(line));
  return hasWords && (block.length >= distinctiveLines || block.some(isLongLine));
}

function isLongLine(line: string): boolean {
  return line.trim().length >= distinctiveCharacters;
}

/** Returns where `block` begins in `lines`: at most the first two places, as more are never asked for. */
function occurrences(lines: readonly string[], block: readonly string[]): number[] {
  const found: number[] = [];
  for (let start = 0; start + block.length <= lines.length && found.length < 2; start++) {
    if (block.every((line, at) => lines[start + at] === line)) found.push(start);
  }
  return found;
}

interface ChangedInput {
  readonly old: readonly string[];
  readonly current: readonly string[];
  readonly lines: LineRange;
  readonly hunks: readonly Hunk[];
  readonly touching: readonly Hunk[];
}

function findChanged({ old, current, lines, hunks, touching }: ChangedInput): CommentPlace {
  const ranges = touching.flatMap((hunk) => replacementOf(hunk, lines, old, current));
  const kept = keptRanges(lines, touching).map((range) => shifted(range, hunks));
  const all = [...ranges, ...kept];
  if (all.length === 0) return gone;
  const start = Math.min(...all.map((range) => range.start));
  const end = Math.max(...all.map((range) => range.end));
  const [before, after] = [old.slice(lines.start, lines.end), current.slice(start, end)];
  // Lines that are only further apart from each other, or of which only empty ones are left, are not what was meant.
  if (after.every((line) => line.trim() === '')) return gone;
  return { kind: 'changed', lines: { start, end }, before: before.join('\n'), after: after.join('\n') };
}

/** The lines by which a hunk has replaced its part of the commented lines. Empty if that cannot be told. */
function replacementOf(
  hunk: Hunk,
  lines: LineRange,
  old: readonly string[],
  current: readonly string[],
): readonly LineRange[] {
  const { after, before } = hunk;
  if (after.start === after.end) return [];
  // Long lines that the old text has elsewhere were moved here, and have replaced nothing.
  const elsewhere = new Set([...old.slice(0, before.start), ...old.slice(before.end)].filter(isLongLine));
  const isReplacement = (line: number): boolean => !elsewhere.has(current[line] ?? '');
  if (before.start >= lines.start && before.end <= lines.end) return longestRun(after, isReplacement);
  // The hunk also changes other lines, so only what resembles the commented ones counts.
  const successors = likelySuccessors(old.slice(before.start, before.end), current.slice(after.start, after.end));
  const found = [...successors]
    .filter(([from]) => before.start + from >= lines.start && before.start + from < lines.end)
    .map(([, to]) => after.start + to)
    .filter(isReplacement);
  return found.length === 0 ? [] : [{ start: Math.min(...found), end: Math.max(...found) + 1 }];
}

/** The longest part of a range in which all lines pass. Empty if none does. */
function longestRun(range: LineRange, passes: (line: number) => boolean): LineRange[] {
  let longest: LineRange = { start: range.start, end: range.start };
  let { start } = range;
  for (let at = range.start; at <= range.end; at++) {
    if (at < range.end && passes(at)) continue;
    if (at - start > longest.end - longest.start) longest = { start, end: at };
    start = at + 1;
  }
  return longest.start < longest.end ? [longest] : [];
}

/** The commented lines between the hunks that change some of them. */
function keptRanges(lines: LineRange, touching: readonly Hunk[]): LineRange[] {
  const kept: LineRange[] = [];
  let { start } = lines;
  for (const { before } of touching) {
    if (before.start > start) kept.push({ start, end: before.start });
    start = Math.max(start, before.end);
  }
  if (start < lines.end) kept.push({ start, end: lines.end });
  return kept;
}

/** Finds the lines of a part of a large text by their content, or else the gap between what was around them. */
function placeByContent(part: readonly string[], lines: LineRange, current: readonly string[]): CommentPlace {
  const [above, block, below] = [part.slice(0, lines.start), part.slice(lines.start, lines.end), part.slice(lines.end)];
  const whole = occurrences(current, part);
  if (whole.length === 1 && whole[0] !== undefined) {
    const start = whole[0] + lines.start;
    return { kind: 'same', lines: { start, end: start + block.length } };
  }
  const moved = whole.length === 0 ? findMoved(part, lines, current) : undefined;
  if (moved) return moved;
  const [aboveAt, belowAt] = [onlyPlace(above, current), onlyPlace(below, current)];
  if (aboveAt === undefined || belowAt === undefined) return gone;
  const range: LineRange = { start: aboveAt + above.length, end: belowAt };
  const after = current.slice(range.start, range.end);
  const isNear = range.end > range.start && after.length <= 2 * block.length + contextLines;
  if (!isNear || after.every((line) => line.trim() === '')) return gone;
  return isSame(after, block)
    ? { kind: 'same', lines: range }
    : { kind: 'changed', lines: range, before: block.join('\n'), after: after.join('\n') };
}

function onlyPlace(block: readonly string[], current: readonly string[]): number | undefined {
  if (!isDistinctive(block)) return undefined;
  const found = occurrences(current, block);
  return found.length === 1 ? found[0] : undefined;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}
