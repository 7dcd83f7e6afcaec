import { fold } from './fold';
import { maxWordUnits, wordsOf } from './words';

/** What has to be in a thread: words that follow each other, folded. */
export interface QueryTerm {
  readonly words: readonly string[];
  /** The last word may go on: it is still being typed. */
  readonly isPrefix: boolean;
}

/** All of its terms must match; one without terms matches nothing. */
export interface ThreadQuery {
  readonly terms: readonly QueryTerm[];
}

const maxTerms = 16;

/**
 * Words match anywhere, `"phrases"` as they stand, and so does what is written in one piece: `src/app.ts` is a phrase of
 * three words. The last word is a prefix, unless its quotation mark is closed.
 */
export function parseQuery(text: string): ThreadQuery {
  const pieces = [...text.matchAll(/"([^"]*)("?)|[^\s"]+/g)];
  const terms = pieces
    .map(([piece, quoted, close], index) => {
      const words = wordsOf(fold(quoted ?? piece));
      const isCut = words.at(-1)?.length === maxWordUnits;
      return { words, isPrefix: isCut || (index === pieces.length - 1 && close !== '"') };
    })
    .filter(({ words }) => words.length > 0);
  return { terms: terms.slice(0, maxTerms) };
}
