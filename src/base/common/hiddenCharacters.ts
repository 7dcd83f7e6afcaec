/**
 * Characters that cannot be seen but change what is read: the order of the text around them, what a word is, or where the
 * next word begins. They are shown by their code points, everywhere by the pieces or the text that come from here.
 */

/**
 * Joiners are part of emoji and of scripts; between ASCII they only hide. Tags after a black flag make it a country's. A blank
 * that is not the space bar's is shown where there are several in a row, but for the indent of East Asian text and the empty
 * cells of pictures in Braille.
 */
const invisible =
  /(?:(?![\t\n\r\u200c\u200d\ufe00-\ufe0f]|(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0020}-\u{e007f}])[\p{Cc}\p{DI}\u2028\u2029])+|(?<![^\p{ASCII}])[\u200c\u200d]+/u;
const blank = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000';
/** None of a picture: a short gap in it, or one at the start of its line. */
const notInBraille = '(?!\\u2800)|(?=\\u2800{200})|(?<![\\u2800-\\u28ff])(?!\\u2800{1,200}[\\u2801-\\u28ff])';
const notIndent = `(?!\\u3000{2}(?![ ${blank}]))`;
const blanks = `(?:${notInBraille})${notIndent}[${blank}][ ${blank}]*[${blank}]`;
const hidden = new RegExp(`${invisible.source}|${blanks}`, 'u');
const everyHidden = new RegExp(hidden, 'gu');
const runs = /( )\1*|([^ ])\2*/gsu;

export interface HiddenCharacter {
  readonly character: string;
  /** How many of it there are in a row. */
  readonly count: number;
  /** For example `U+202E`, or `U+00A0 ×40`. */
  readonly code: string;
  readonly title: string;
}

export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text);
}

/** For what can only be text, such as titles and tooltips. Where a line break would hide something too, `visible` is right. */
export function namingHiddenCharacters(text: string): string {
  if (!hidden.test(text)) return text;
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.code}]`))
    .join('');
}

/** What stands between hidden characters, and those, in their order. */
export function piecesOf(text: string): (string | HiddenCharacter)[] {
  const pieces: (string | HiddenCharacter)[] = [];
  let shownTo = 0;
  for (const { 0: found, index } of text.matchAll(everyHidden)) {
    pieces.push(text.slice(shownTo, index));
    for (const [run] of found.matchAll(runs)) pieces.push(run.startsWith(' ') ? run : hiddenCharacter(run));
    shownTo = index + found.length;
  }
  return [...pieces, text.slice(shownTo)].filter((piece) => piece !== '');
}

/** For example `U+202E`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function hiddenCharacter(run: string): HiddenCharacter {
  const [character = ''] = run;
  const count = run.length / Math.max(1, character.length);
  const point = codePointOf(character);
  if (count === 1) return { character, count, code: point, title: `An invisible character, ${point}` };
  return { character, count, code: `${point} ×${count}`, title: `${count} invisible characters in a row, ${point}` };
}
