/** Removes differences of case, accents and width: `Élan` and `elan`, `ﬁ` and `fi`, `ς` and `σ`. */
export function foldForSearch(text: string): string {
  // Only non-ASCII text, which is rare, needs more than lower case.
  return text.toLowerCase().replace(notAscii, foldRun);
}

function foldRun(run: string): string {
  return run.normalize('NFKD').replace(marks, '').toLowerCase().replaceAll('ς', 'σ');
}

interface FoldedText {
  readonly text: string;
  /** Returns the position in the original text for a position in the folded text, or for its end. */
  originOf(position: number): number;
}

/** Like `foldForSearch`, but also maps positions. Slower, so use it only for short texts. */
export function foldWithPositions(text: string): FoldedText {
  if (isAscii(text)) return { text: text.toLowerCase(), originOf: (position) => position };
  const origins: number[] = [];
  let folded = '';
  let origin = 0;
  for (const character of text) {
    const piece = foldForSearch(character);
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
