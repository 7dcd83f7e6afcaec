/**
 * Folds text so that case, accents and widths do not matter to a search: `Élan` and `elan`, `ﬁ` and `fi`, `ς` and `σ` are
 * the same.
 */
export function fold(text: string): string {
  // Most texts have little or nothing that is not ASCII: the rest of them costs no more than a change of case.
  return text.toLowerCase().replace(notAscii, foldRun);
}

function foldRun(run: string): string {
  return run.normalize('NFKD').replace(marks, '').toLowerCase().replaceAll('ς', 'σ');
}

interface FoldedText {
  readonly text: string;
  /** Of a position in the folded text (its end included): the position in the original of the character it came from. */
  originOf(position: number): number;
}

/** The same, for short texts whose matches are to be found again in the original. */
export function foldTraceably(text: string): FoldedText {
  if (isAscii(text)) return { text: text.toLowerCase(), originOf: (position) => position };
  const origins: number[] = [];
  let folded = '';
  let origin = 0;
  for (const character of text) {
    const piece = fold(character);
    origins.push(...Array<number>(piece.length).fill(origin));
    folded += piece;
    origin += character.length;
  }
  return { text: folded, originOf: (position) => origins[position] ?? text.length };
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

const notAscii = /[^\0-\x7f]+/g;
const marks = /\p{M}+/gu;
