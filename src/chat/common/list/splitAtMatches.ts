import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Splits a text where it contains words of a query, without regard to case. No piece is empty. */
export function splitAtMatches(text: string, query: string): TextPiece[] {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return text === '' ? [] : [{ text, isMatch: false }];
  // The longest one first, so that it is found where a shorter one would match as well.
  const alternatives = words.sort((one, other) => other.length - one.length).map(escapeRegExp);
  // With one capture, every other piece is a match.
  return text
    .split(new RegExp(`(${alternatives.join('|')})`, 'giu'))
    .map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}
