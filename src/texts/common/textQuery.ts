import { foldForSearch } from './fold';
import { maxWordUnits, wordsOf } from './words';

/** Folded words that must follow each other in a text. */
export interface QueryTerm {
  readonly words: readonly string[];
  /** Whether the last word is only the start of a word, because the user is still typing it. */
  readonly isPrefix: boolean;
}

/** All terms must match. A query without terms matches nothing. */
export interface TextQuery {
  readonly terms: readonly QueryTerm[];
}

const maxTerms = 16;

/**
 * Parses a query. Words can be anywhere, but `"phrases"` match only as a whole. Text without spaces is also a phrase:
 * `src/app.ts` has three words. The last word matches as a prefix unless its closing quotation mark was typed.
 */
export function parseQuery(text: string): TextQuery {
  const pieces = [...text.matchAll(/"([^"]*)("?)|[^\s"]+/g)];
  const terms = pieces
    .map(([piece, quoted, close], index) => {
      const words = wordsOf(foldForSearch(quoted ?? piece));
      const isCut = words.at(-1)?.length === maxWordUnits;
      return { words, isPrefix: isCut || (index === pieces.length - 1 && close !== '"') };
    })
    .filter(({ words }) => words.length > 0);
  return { terms: terms.slice(0, maxTerms) };
}
