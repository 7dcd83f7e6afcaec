import type { QueryTerm } from './threadQuery';
import { characterAt, isGap, isWordBoundary } from './words';

/** Half-open bounds in UTF-16 units. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** The first match of the term at or after `from`, in folded text. */
export function findTerm(folded: string, term: QueryTerm, from = 0): Bounds | undefined {
  const [first = ''] = term.words;
  let start = folded.indexOf(first, from);
  while (start >= 0) {
    const end = isWordBoundary(folded, start) ? endOf(folded, term, start) : undefined;
    if (end !== undefined) return { start, end };
    start = folded.indexOf(first, start + 1);
  }
  return undefined;
}

/** Where a match that begins at `start` ends; undefined when it does not go on. */
function endOf(folded: string, { words, isPrefix }: QueryTerm, start: number): number | undefined {
  let position = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) position = skipGap(folded, position);
    if (!folded.startsWith(word, position)) return undefined;
    position += word.length;
    const mayGoOn = isPrefix && index === words.length - 1;
    if (!mayGoOn && !isWordBoundary(folded, position)) return undefined;
  }
  return position;
}

function skipGap(folded: string, from: number): number {
  let position = from;
  for (;;) {
    const character = characterAt(folded, position);
    if (character === undefined || !isGap(character)) return position;
    position += character.length;
  }
}
