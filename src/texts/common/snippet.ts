import { foldWithPositions } from './fold';
import { findTerm } from './termMatch';
import type { TextQuery } from './textQuery';

const contextUnits = 40;
/** Size of the pieces in which long texts are searched, in UTF-16 units. They overlap for matches at borders. */
const pieceUnits = 4_000;
const overlapUnits = 400;

/** Returns a line of about `maxUnits` UTF-16 units around the first match. Without a match, returns the beginning. */
export function snippetOf(text: string, query: TextQuery, maxUnits = 120): string {
  const match = firstMatch(text, query);
  const start = wordStart(text, Math.max(0, match - contextUnits), match);
  const end = wordEnd(text, start + maxUnits);
  const line = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function firstMatch(text: string, { terms }: TextQuery): number {
  for (let start = 0; start < text.length; start += pieceUnits) {
    const folded = foldWithPositions(text.slice(start, start + pieceUnits + overlapUnits));
    const starts = terms.flatMap((term) => findTerm(folded.text, term) ?? []);
    if (starts.length > 0) return start + folded.originOf(Math.min(...starts));
  }
  return 0;
}

/** Returns the start of the first word at or after `position`, but at most `latest`. */
function wordStart(text: string, position: number, latest: number): number {
  if (position === 0) return 0;
  const space = text.slice(position, latest).search(/\s/);
  return space < 0
    ? outsideSurrogatePair(text, latest - position > contextUnits / 2 ? position : latest)
    : position + space + 1;
}

/** Returns the end of the word at `position` if it is near, and otherwise the position. */
function wordEnd(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const space = text.slice(position, position + contextUnits).search(/\s/);
  return space < 0 ? outsideSurrogatePair(text, position) : position + space;
}

function outsideSurrogatePair(text: string, position: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(position)) ? position + 1 : position;
}
