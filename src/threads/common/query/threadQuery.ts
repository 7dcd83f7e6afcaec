import { foldForSearch } from './fold';
import { maxWordUnits, wordsOf } from './words';

/** Folded words that must follow each other in a thread. */
export interface QueryTerm {
  readonly words: readonly string[];
  /** Whether the last word is a prefix, because it is still being typed. */
  readonly isPrefix: boolean;
}

/** All terms must match. A query without terms matches nothing. */
export interface ThreadQuery {
  readonly terms: readonly QueryTerm[];
}

const maxTerms = 16;

/**
 * Words match anywhere, `"phrases"` only as a whole. Text without spaces is a phrase, too: `src/app.ts` has three words. The
 * last word is a prefix, unless its closing quotation mark is typed.
 */
export function parseQuery(text: string): ThreadQuery {
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
