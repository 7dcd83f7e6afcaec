import { diffArrays, parsePatch, type StructuredPatch } from 'diff';
import { commonPrefixAndSuffix } from '../../base/common/text/commonPrefixAndSuffix';
import type { DiffHunk, DiffLine, DiffPart } from './entries';

const contextLines = 3;
/** Maximum number of lines of one change that are shown. `omitted` counts the others. */
const maxShownLines = 400;
const maxLineNumber = 1e9;
/** Maximum length of a line that is shown, in UTF-16 units. */
const maxLineUnits = 2_000;
/** Maximum number of edits to compare. With more, lines are not matched: the time grows quadratically. */
const maxEdits = 2_000;

/**
 * Compares two texts. Null stands for a file that does not exist. At most `maxLines` lines are shown, counting those
 * of both texts.
 */
export function createDiff(
  path: string,
  before: string | null,
  after: string | null,
  maxLines: number = maxShownLines,
): DiffPart {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified';
  const edits = compareLines(splitLines(before ?? ''), splitLines(after ?? ''));
  return toDiffPart(path, change, createHunks(edits), maxLines);
}

interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
}

/** Counts the changed lines. Null stands for a file that does not exist. */
export function countChanges(before: string | null, after: string | null): ChangeCounts {
  const counts = { added: 0, removed: 0 };
  for (const { added, count, removed } of compareMiddle(splitLines(before ?? ''), splitLines(after ?? '')).middle) {
    if (added) counts.added += count;
    if (removed) counts.removed += count;
  }
  return counts;
}

/** Parses a unified diff: the patch for the path, or else the first one. Undefined if invalid or empty. */
export function parseUnifiedDiff(path: string, unified: string): DiffPart | undefined {
  const patch = patchFor(path, unified);
  if (!patch || patch.hunks.length === 0) return undefined;
  const { oldFileName, newFileName, hunks } = patch;
  const change = oldFileName === '/dev/null' ? 'created' : newFileName === '/dev/null' ? 'deleted' : 'modified';
  return toDiffPart(
    path,
    change,
    hunks.map(({ oldStart, newStart, lines }) => ({
      oldStart: clampLineNumber(oldStart),
      newStart: clampLineNumber(newStart),
      lines: lines.flatMap(parseDiffLine),
    })),
  );
}

/** Parses the lines of one hunk. `firstLine`: 1-based, in the original file. Undefined if invalid or empty. */
export function parseHunkLines(path: string, lines: string, firstLine: number): DiffPart | undefined {
  const shown = lines
    .replace(fileHeader, '')
    .replace(/\r?\n$/, '')
    .split('\n');
  if (!shown.every((line) => line === '' || /^[ +\\-]/.test(line))) return undefined;
  const hunk = {
    oldStart: clampLineNumber(firstLine),
    newStart: clampLineNumber(firstLine),
    lines: shown.flatMap(parseDiffLine),
  };
  return hunk.lines.some(({ kind }) => kind !== 'context') ? toDiffPart(path, 'modified', [hunk]) : undefined;
}

const fileHeader = /^(?:Index: .*\n)?(?:={10,}\r?\n)?(?:--- .*\n\+\+\+ .*\n)?/;

/** Limits a line number in a hunk header, because the header is untrusted. */
function clampLineNumber(written: number): number {
  return Math.min(Math.max(1, written), maxLineNumber);
}

function patchFor(path: string, unified: string): StructuredPatch | undefined {
  try {
    const patches = parsePatch(unified);
    const isOfPath = ({ oldFileName, newFileName }: StructuredPatch): boolean =>
      [oldFileName, newFileName].some((name) => name !== undefined && isSamePath(name, path));
    return patches.find(isOfPath) ?? patches[0];
  } catch {
    // The library throws for invalid patches.
    return undefined;
  }
}

/** Whether a name in a patch is this path. Patches use relative paths below `a/` and `b/`. */
function isSamePath(name: string, path: string): boolean {
  const bare = name.replace(/^[ab]\//, '');
  return path === bare || path.endsWith(`/${bare}`);
}

const kindsByMark: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'context', '+': 'add', '-': 'remove' };

/** Parses a line of a diff. Returns no line for the text "No newline at end of file". */
function parseDiffLine(line: string): DiffLine[] {
  const kind = line === '' ? 'context' : kindsByMark[line.charAt(0)];
  return kind ? [{ kind, text: line.slice(1).replace(/\r$/, '') }] : [];
}

/** Splits a text into lines with their endings, because a line whose ending has changed is a changed line. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function compareLines(before: string[], after: string[]): DiffLine[] {
  const { end, middle, start } = compareMiddle(before, after);
  return [
    ...toDiffLines('context', before.slice(0, start)),
    ...middle.flatMap(({ added: isNew, removed: isOld, value }) =>
      toDiffLines(isNew ? 'add' : isOld ? 'remove' : 'context', value),
    ),
    ...toDiffLines('context', before.slice(before.length - end)),
  ];
}

interface LinePiece {
  readonly value: string[];
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Compares the lines between the common start and end. The common lines are only counted. */
function compareMiddle(before: string[], after: string[]): { start: number; end: number; middle: LinePiece[] } {
  const { end, start } = commonPrefixAndSuffix(before, after);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const compared =
    removed.length === 0 || added.length === 0 ? undefined : diffArrays(removed, added, { maxEditLength: maxEdits });
  const middle = compared ?? [
    { value: removed, count: removed.length, added: false, removed: true },
    { value: added, count: added.length, added: true, removed: false },
  ];
  return { start, end, middle: middle.filter(({ count }) => count > 0) };
}

function toDiffLines(kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] {
  return lines.map((line) => ({ kind, text: line.replace(/\r?\n$/, '') }));
}

/** Groups changes with their context. Changes whose contexts overlap share a hunk. */
function createHunks(lines: readonly DiffLine[]): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let open: DiffHunk | undefined;
  let oldLine = 1;
  let newLine = 1;
  let contextLeft = 0;
  for (const [at, line] of lines.entries()) {
    const isChange = line.kind !== 'context';
    if (isChange && !open) {
      const lead = lines.slice(Math.max(0, at - contextLines), at);
      open = { oldStart: oldLine - lead.length, newStart: newLine - lead.length, lines: lead };
      hunks.push(open);
    }
    if (isChange) contextLeft = contextLines;
    else if (contextLeft > 0) contextLeft--;
    else if (open && !hasChangeWithin(lines, at, contextLines)) open = undefined;
    open?.lines.push(line);
    if (line.kind !== 'add') oldLine++;
    if (line.kind !== 'remove') newLine++;
  }
  return hunks;
}

function hasChangeWithin(lines: readonly DiffLine[], at: number, distance: number): boolean {
  return lines.slice(at, at + distance + 1).some(({ kind }) => kind !== 'context');
}

function toDiffPart(
  path: string,
  change: DiffPart['change'],
  hunks: readonly DiffHunk[],
  maxLines = maxShownLines,
): DiffPart {
  const all = hunks.flatMap(({ lines }) => lines);
  const count = (kind: DiffLine['kind']): number => all.filter((line) => line.kind === kind).length;
  const { shown, omitted } = truncateHunks(hunks, maxLines);
  return {
    type: 'diff',
    path,
    change,
    added: count('add'),
    removed: count('remove'),
    hunks: shown,
    ...(omitted > 0 ? { omitted } : {}),
  };
}

function truncateHunks(hunks: readonly DiffHunk[], maxLines: number): { shown: DiffHunk[]; omitted: number } {
  let left = maxLines;
  let omitted = 0;
  const shown: DiffHunk[] = [];
  for (const hunk of hunks) {
    omitted += countUnits(hunk.lines);
    for (const piece of truncateHunk(hunk, left)) {
      const lines = piece.lines.map((line) => ({ ...line, text: line.text.slice(0, maxLineUnits) }));
      omitted -= countUnits(lines);
      left -= lines.length;
      shown.push({ ...piece, lines });
    }
  }
  return { shown, omitted };
}

/** Keeps at most `maxLines` lines of the hunk, from the start of both the removed and the added lines. */
function truncateHunk(hunk: DiffHunk, maxLines: number): DiffHunk[] {
  if (hunk.lines.length <= maxLines) return [hunk];
  const addedCount = hunk.lines.filter(({ kind }) => kind === 'add').length;
  const half = Math.ceil(maxLines / 2);
  let addedLeft = Math.min(addedCount, Math.max(half, maxLines - (hunk.lines.length - addedCount)));
  let othersLeft = maxLines - addedLeft;
  let { newStart, oldStart } = hunk;
  const pieces: DiffHunk[] = [];
  let open: DiffHunk | undefined;
  for (const line of hunk.lines) {
    const isKept = line.kind === 'add' ? addedLeft-- > 0 : othersLeft-- > 0;
    if (isKept && !open) pieces.push((open = { oldStart, newStart, lines: [] }));
    else if (!isKept) open = undefined;
    open?.lines.push(line);
    if (line.kind !== 'add') oldStart++;
    if (line.kind !== 'remove') newStart++;
  }
  return pieces;
}

function countUnits(lines: readonly DiffLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}
