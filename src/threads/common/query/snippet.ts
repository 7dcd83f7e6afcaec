import { foldTraceably } from './fold';
import { findTerm } from './termMatch';
import type { ThreadQuery } from './threadQuery';

const contextUnits = 40;
/** Pieces that are looked at one by one, since a text may be a megabyte; they overlap so that no match falls between. */
const pieceUnits = 4_000;
const overlapUnits = 400;

/** About `width` UTF-16 units in one line around the first match, or of the beginning when there is none. */
export function snippetOf(text: string, query: ThreadQuery, width = 120): string {
  const at = firstMatch(text, query);
  const start = wordStart(text, Math.max(0, at - contextUnits), at);
  const end = wordEnd(text, start + width);
  const line = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function firstMatch(text: string, { terms }: ThreadQuery): number {
  for (let start = 0; start < text.length; start += pieceUnits) {
    const folded = foldTraceably(text.slice(start, start + pieceUnits + overlapUnits));
    const starts = terms.flatMap((term) => findTerm(folded.text, term) ?? []);
    if (starts.length > 0) return start + folded.originOf(Math.min(...starts));
  }
  return 0;
}

/** The beginning of the next word at or after `position`, but not after `latest`. */
function wordStart(text: string, position: number, latest: number): number {
  if (position === 0) return 0;
  const space = text.slice(position, latest).search(/\s/);
  return space < 0 ? outsidePair(text, latest - position > contextUnits / 2 ? position : latest) : position + space + 1;
}

/** The end of the word that `position` is in, if it is near. */
function wordEnd(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const space = text.slice(position, position + contextUnits).search(/\s/);
  return space < 0 ? outsidePair(text, position) : position + space;
}

function outsidePair(text: string, position: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(position)) ? position + 1 : position;
}
