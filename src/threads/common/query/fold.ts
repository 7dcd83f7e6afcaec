/** Removes differences of case, accents and width for a search: `Élan` and `elan`, `ﬁ` and `fi`, `ς` and `σ`. */
export function foldForSearch(text: string): string {
  // Only non-ASCII runs, which are rare, need more than a change of case.
  return text.toLowerCase().replace(notAscii, foldRun);
}

function foldRun(run: string): string {
  return run.normalize('NFKD').replace(marks, '').toLowerCase().replaceAll('ς', 'σ');
}

interface FoldedText {
  readonly text: string;
  /** Maps a position in the folded text, or its end, to the position of the original character. */
  originOf(position: number): number;
}

/** Like `fold`, with a mapping of positions. Slower, so use it only for short texts. */
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
