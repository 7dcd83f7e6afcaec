import type { QueryTerm } from './textQuery';
import { characterAt, isSeparator, isWordBoundary } from './words';

/** Returns the start of the first match in folded text. */
export function findTerm(folded: string, term: QueryTerm): number | undefined {
  const [first = ''] = term.words;
  let start = folded.indexOf(first);
  while (start >= 0) {
    if (isWordBoundary(folded, start) && matchesAt(folded, term, start)) return start;
    start = folded.indexOf(first, start + 1);
  }
  return undefined;
}

function matchesAt(folded: string, { words, isPrefix }: QueryTerm, start: number): boolean {
  let position = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) position = skipSeparators(folded, position);
    if (!folded.startsWith(word, position)) return false;
    position += word.length;
    const mayContinue = isPrefix && index === words.length - 1;
    if (!mayContinue && !isWordBoundary(folded, position)) return false;
  }
  return true;
}

function skipSeparators(folded: string, from: number): number {
  let position = from;
  for (;;) {
    const character = characterAt(folded, position);
    if (character === undefined || !isSeparator(character)) return position;
    position += character.length;
  }
}
