import type { Position, Range } from '../editorPort';
import { splitsSurrogatePair } from './textOffsets';

/** What the cut needs of a document. `text` is the line without its ending. */
interface Lines {
  lineAt(line: number): { readonly text: string };
  /** UTF-16 units of a line ending. */
  readonly lineEndingLength: 1 | 2;
}

/** Where a range of at most `maxUnits` UTF-16 units ends: at its own end, or earlier, between two characters. */
export function cutEnd(lines: Lines, range: Range, maxUnits: number): Position {
  const { start, end } = range;
  let room = maxUnits;
  for (let line = start.line; line < end.line; line++) {
    const { text } = lines.lineAt(line);
    const from = line === start.line ? start.character : 0;
    if (text.length - from > room) return cutLine(line, text, from + room);
    room -= text.length - from + lines.lineEndingLength;
    if (room < 0) return { line, character: text.length };
  }
  const from = end.line === start.line ? start.character : 0;
  if (end.character - from <= room) return end;
  return cutLine(end.line, lines.lineAt(end.line).text, from + room);
}

function cutLine(line: number, text: string, character: number): Position {
  return { line, character: splitsSurrogatePair(text, character) ? character - 1 : character };
}
