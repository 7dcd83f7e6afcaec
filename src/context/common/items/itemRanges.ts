import { countNote } from './countNote';
import type { ItemPosition } from './contextItem';
import { packedItemCount, selectPackedItems, rangeNumbersPerItem, type PackedItems } from './packedItems';

export interface LineMeasures {
  /** Length of each line without its line ending (LF, CRLF or a lone CR). */
  readonly lengths: readonly number[];
  readonly isCrlf: boolean;
}

export function measureLines(text: string): LineMeasures {
  if (text.includes('\r'))
    return { lengths: text.split(/\r\n|\r|\n/).map(({ length }) => length), isCrlf: text.includes('\r\n') };
  // Searching for line endings is faster than splitting the text.
  const lengths: number[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lengths.push(end - start);
    start = end + 1;
  }
  lengths.push(text.length - start);
  return { lengths, isCrlf: false };
}

/**
 * Adapts items to a document and modifies `packed.ranges`: clips ranges, and skips items that start outside the
 * document. With `isCrlf`, a range may include the carriage return of its line.
 */
export function fitItemsToDocument(packed: PackedItems, { lengths, isCrlf }: LineMeasures): PackedItems {
  const { ranges } = packed;
  const kept: number[] = [];
  let cut = 0;
  for (let at = 0; at < ranges.length; at += rangeNumbersPerItem) {
    const place = fitRange(ranges, at, lengths, isCrlf ? 1 : 0);
    if (place !== 'nowhere') kept.push(at / rangeNumbersPerItem);
    if (place === 'cut') cut++;
  }
  const nowhere = packedItemCount(packed) - kept.length;
  const notes = [
    ...packed.notes,
    ...countNote(cut, 'range', 'shortened to the end of a line or of the file.'),
    ...countNote(nowhere, 'item', 'skipped because of a range outside the file.'),
  ];
  return { ...selectPackedItems(packed, kept), notes };
}

function fitRange(
  ranges: Float64Array,
  at: number,
  lines: readonly number[],
  lineEnd: number,
): 'fits' | 'cut' | 'nowhere' {
  const line = ranges[at] ?? NaN;
  if (Number.isNaN(line)) return 'fits';
  const character = ranges[at + 1] ?? NaN;
  const endLine = ranges[at + 2] ?? NaN;
  const endCharacter = ranges[at + 3] ?? NaN;
  if (!isIndex(line) || !isIndex(character) || !isIndex(endLine) || !isIndex(endCharacter)) return 'nowhere';
  if (endLine < line || (endLine === line && endCharacter < character) || line >= lines.length) return 'nowhere';
  const isStartCut = clampPosition(ranges, at, lines, lineEnd);
  const isEndCut = clampPosition(ranges, at + 2, lines, lineEnd);
  return isStartCut || isEndCut ? 'cut' : 'fits';
}

function isIndex(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/** Clips the position at `ranges[at]` to the text. @returns whether it was beyond the line ending */
function clampPosition(ranges: Float64Array, at: number, lines: readonly number[], lineEnd: number): boolean {
  const line = ranges[at] ?? 0;
  const last = Math.min(line, lines.length - 1);
  const length = lines[last] ?? 0;
  const character = ranges[at + 1] ?? 0;
  if (line === last && character <= length) return false;
  ranges[at] = last;
  ranges[at + 1] = length;
  return line !== last || character > length + lineEnd;
}

export function isPositionBefore(a: ItemPosition, b: ItemPosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
