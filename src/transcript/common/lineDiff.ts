import { diffArrays, parsePatch, type StructuredPatch } from 'diff';
import type { DiffHunk, DiffLine, DiffPart } from './entries';

/** What a change of a file shows: its hunks, cut to size. */

const contextLines = 3;
/** Lines that are shown of one change; the rest is counted in `omitted`. */
const maxLines = 400;
/** No file has more. */
const mostLines = 1e9;
/** UTF-16 units that are shown of one line. */
const maxLineUnits = 2_000;
/** More differing lines than this are not matched up: the time for it grows with their square. */
const maxEdits = 2_000;

/** `null` is a file that does not exist. `most` is how many lines are shown; of a longer change some of both sides. */
export function diffOf(path: string, before: string | null, after: string | null, most: number = maxLines): DiffPart {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified';
  const edits = editsBetween(linesOf(before ?? ''), linesOf(after ?? ''));
  return partOf(path, change, hunksOf(edits), most);
}

/** Undefined for what is no unified diff, or changes nothing. Of several files it is the one of that path, else the first. */
export function diffFromUnified(path: string, unified: string): DiffPart | undefined {
  const patch = patchFor(path, unified);
  if (!patch || patch.hunks.length === 0) return undefined;
  const { oldFileName, newFileName, hunks } = patch;
  const change = oldFileName === '/dev/null' ? 'created' : newFileName === '/dev/null' ? 'deleted' : 'modified';
  return partOf(
    path,
    change,
    hunks.map(({ oldStart, newStart, lines }) => ({
      oldStart: lineNumber(oldStart),
      newStart: lineNumber(newStart),
      lines: lines.flatMap(unifiedLine),
    })),
  );
}

/**
 * Of the lines of one hunk that has lost its header; undefined for what is none, or changes nothing. `firstLine` is 1-based,
 * in the file as it was.
 */
export function diffFromLines(path: string, lines: string, firstLine: number): DiffPart | undefined {
  const shown = lines
    .replace(fileHeader, '')
    .replace(/\r?\n$/, '')
    .split('\n');
  if (!shown.every((line) => line === '' || /^[ +\\-]/.test(line))) return undefined;
  const hunk = { oldStart: lineNumber(firstLine), newStart: lineNumber(firstLine), lines: shown.flatMap(unifiedLine) };
  return hunk.lines.some(({ kind }) => kind !== 'context') ? partOf(path, 'modified', [hunk]) : undefined;
}

const fileHeader = /^(?:Index: .*\n)?(?:={10,}\r?\n)?(?:--- .*\n\+\+\+ .*\n)?/;

/** Of a hunk, as its header tells it: anybody may have written that. */
function lineNumber(told: number): number {
  return Math.min(Math.max(1, told), mostLines);
}

function patchFor(path: string, unified: string): StructuredPatch | undefined {
  try {
    const patches = parsePatch(unified);
    const isOfPath = ({ oldFileName, newFileName }: StructuredPatch): boolean =>
      [oldFileName, newFileName].some((name) => name !== undefined && isSamePath(name, path));
    return patches.find(isOfPath) ?? patches[0];
  } catch {
    // The library throws for what is not a patch.
    return undefined;
  }
}

/** Patches name files relative to something, below `a/` and `b/`. */
function isSamePath(name: string, path: string): boolean {
  const bare = name.replace(/^[ab]\//, '');
  return path === bare || path.endsWith(`/${bare}`);
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'context', '+': 'add', '-': 'remove' };

/** None for the remark that a line has no ending. */
function unifiedLine(line: string): DiffLine[] {
  const kind = line === '' ? 'context' : kinds[line.charAt(0)];
  return kind ? [{ kind, text: line.slice(1).replace(/\r$/, '') }] : [];
}

/** With their endings: a changed ending is a changed line. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Every line of both texts, in the order of a diff. */
function editsBetween(before: string[], after: string[]): DiffLine[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const middle =
    removed.length === 0 || added.length === 0 ? undefined : diffArrays(removed, added, { maxEditLength: maxEdits });
  return [
    ...asLines('context', before.slice(0, start)),
    ...(middle?.flatMap(({ added: isNew, removed: isOld, value }) =>
      asLines(isNew ? 'add' : isOld ? 'remove' : 'context', value),
    ) ?? [...asLines('remove', removed), ...asLines('add', added)]),
    ...asLines('context', before.slice(before.length - end)),
  ];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

function asLines(kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] {
  return lines.map((line) => ({ kind, text: line.replace(/\r?\n$/, '') }));
}

/** Changes with the context around them; those whose context touches share a hunk. */
function hunksOf(lines: readonly DiffLine[]): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let open: DiffHunk | undefined;
  let oldLine = 1;
  let newLine = 1;
  let contextLeft = 0;
  for (const [at, line] of lines.entries()) {
    const isChange = line.kind !== 'context';
    if (isChange && !open) {
      const lead = leadOf(lines, at, contextLines);
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

/** The lines of context just before one. */
function leadOf(lines: readonly DiffLine[], at: number, most: number): DiffLine[] {
  return lines.slice(Math.max(0, at - most), at);
}

function hasChangeWithin(lines: readonly DiffLine[], at: number, distance: number): boolean {
  return lines.slice(at, at + distance + 1).some(({ kind }) => kind !== 'context');
}

function partOf(path: string, change: DiffPart['change'], hunks: readonly DiffHunk[], most = maxLines): DiffPart {
  const all = hunks.flatMap(({ lines }) => lines);
  const count = (kind: DiffLine['kind']): number => all.filter((line) => line.kind === kind).length;
  const { shown, omitted } = cutToSize(hunks, most);
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

function cutToSize(hunks: readonly DiffHunk[], most: number): { shown: DiffHunk[]; omitted: number } {
  let left = most;
  let omitted = 0;
  const shown: DiffHunk[] = [];
  for (const hunk of hunks) {
    omitted += unitsOf(hunk.lines);
    for (const piece of cutHunk(hunk, left)) {
      const lines = piece.lines.map((line) => ({ ...line, text: line.text.slice(0, maxLineUnits) }));
      omitted -= unitsOf(lines);
      left -= lines.length;
      shown.push({ ...piece, lines });
    }
  }
  return { shown, omitted };
}

/** At most so many of its lines: a block that is replaced shows the start of what goes and of what comes. */
function cutHunk(hunk: DiffHunk, most: number): DiffHunk[] {
  if (hunk.lines.length <= most) return [hunk];
  const addedCount = hunk.lines.filter(({ kind }) => kind === 'add').length;
  const half = Math.ceil(most / 2);
  let addedLeft = Math.min(addedCount, Math.max(half, most - (hunk.lines.length - addedCount)));
  let othersLeft = most - addedLeft;
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

/** Each line with its ending. */
function unitsOf(lines: readonly DiffLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}
