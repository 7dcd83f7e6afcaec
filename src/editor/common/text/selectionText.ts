import type { Position, Range } from '../editorPort';
import { splitsSurrogatePair } from './textOffsets';

interface LineSource {
  /** The text of the line excludes its line ending. */
  lineAt(line: number): { readonly text: string };
  /** Length in UTF-16 units. */
  readonly lineEndingLength: 1 | 2;
}

/** Returns the end of the range after truncation to `maxUnits` UTF-16 units. Surrogate pairs stay whole. */
export function truncateRangeEnd(lines: LineSource, range: Range, maxUnits: number): Position {
  const { start, end } = range;
  let room = maxUnits;
  for (let line = start.line; line < end.line; line++) {
    const { text } = lines.lineAt(line);
    const from = line === start.line ? start.character : 0;
    if (text.length - from > room) return truncatedPosition(line, text, from + room);
    room -= text.length - from + lines.lineEndingLength;
    if (room < 0) return { line, character: text.length };
  }
  const from = end.line === start.line ? start.character : 0;
  if (end.character - from <= room) return end;
  return truncatedPosition(end.line, lines.lineAt(end.line).text, from + room);
}

function truncatedPosition(line: number, text: string, character: number): Position {
  return { line, character: splitsSurrogatePair(text, character) ? character - 1 : character };
}
