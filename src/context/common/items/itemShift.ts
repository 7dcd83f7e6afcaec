import type { ItemPosition, ItemRange } from './contextItem';
import { isPositionBefore } from './itemRanges';
import { selectPackedItems, readRangeAt, rangeNumbersPerItem, type PackedItems } from './packedItems';

/** One replacement in an edit. The ranges of all replacements refer to the text before the edit, as in VS Code. */
export interface TextChange {
  readonly range: ItemRange;
  readonly text: string;
}

/**
 * Moves items along with changes. Removes items whose whole range was replaced. Text that is inserted directly before
 * or after a range is not added to it.
 */
export function shiftItems(packed: PackedItems, changes: readonly TextChange[]): PackedItems {
  // The last change is applied first, so that it does not move the ranges of the others.
  const fromEnd = changes.map(measureChange).sort((a, b) => (isPositionBefore(a.start, b.start) ? 1 : -1));
  const ranges = new Float64Array(packed.ranges);
  const kept: number[] = [];
  for (let at = 0; at < ranges.length; at += rangeNumbersPerItem) {
    const before = readRangeAt(ranges, at);
    const after = fromEnd.reduce<ItemRange | undefined>(shiftRange, before);
    if (before && !after) continue;
    kept.push(at / rangeNumbersPerItem);
    if (after && after !== before)
      ranges.set([after.start.line, after.start.character, after.end.line, after.end.character], at);
  }
  return selectPackedItems({ ...packed, ranges }, kept);
}

interface MeasuredChange {
  readonly start: ItemPosition;
  readonly oldEnd: ItemPosition;
  readonly newEnd: ItemPosition;
}

function measureChange({ range: { start, end }, text }: TextChange): MeasuredChange {
  const lines = text.split(/\r\n|\r|\n/);
  const lastLength = lines.at(-1)?.length ?? 0;
  const character = lines.length === 1 ? start.character + lastLength : lastLength;
  return { start, oldEnd: end, newEnd: { line: start.line + lines.length - 1, character } };
}

function shiftRange(range: ItemRange | undefined, change: MeasuredChange): ItemRange | undefined {
  if (!range || isPositionBefore(range.end, change.start)) return range;
  const start = isPositionBefore(range.start, change.start) ? range.start : movePosition(range.start, change);
  const end = isPositionBefore(change.start, range.end) ? movePosition(range.end, change) : range.end;
  const isEmpty = !isPositionBefore(start, end);
  const wasEmpty = !isPositionBefore(range.start, range.end);
  if (isEmpty && !wasEmpty) return undefined;
  return { start, end: isEmpty ? start : end };
}

/** Moves a position that is at or after the start of the change. */
function movePosition(position: ItemPosition, { oldEnd, newEnd }: MeasuredChange): ItemPosition {
  if (isPositionBefore(position, oldEnd)) return newEnd;
  if (position.line > oldEnd.line) return { ...position, line: position.line + newEnd.line - oldEnd.line };
  return { line: newEnd.line, character: newEnd.character + position.character - oldEnd.character };
}
