import type { QueryTerm } from './threadQuery';
import { characterAt, isGap, isWordBoundary } from './words';

/** Where the first match of the term begins, in folded text. */
export function findTerm(folded: string, term: QueryTerm): number | undefined {
  const [first = ''] = term.words;
  let start = folded.indexOf(first);
  while (start >= 0) {
    if (isWordBoundary(folded, start) && isAt(folded, term, start)) return start;
    start = folded.indexOf(first, start + 1);
  }
  return undefined;
}

function isAt(folded: string, { words, isPrefix }: QueryTerm, start: number): boolean {
  let position = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) position = skipGap(folded, position);
    if (!folded.startsWith(word, position)) return false;
    position += word.length;
    const mayGoOn = isPrefix && index === words.length - 1;
    if (!mayGoOn && !isWordBoundary(folded, position)) return false;
  }
  return true;
}

function skipGap(folded: string, from: number): number {
  let position = from;
  for (;;) {
    const character = characterAt(folded, position);
    if (character === undefined || !isGap(character)) return position;
    position += character.length;
  }
}
