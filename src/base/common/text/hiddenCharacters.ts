/** Matches invisible characters that can change the meaning of a text. They are shown as code points. */

/**
 * Does not match single joiners and variation selectors in emoji and non-Latin scripts, or tags after a black flag (the
 * flags of regions). Matches blank characters other than the space only if several follow each other, except in East Asian
 * indentation and in Braille pictures.
 */
const invisible =
  /(?:(?![\t\n\r\u200c\u200d\ufe00-\ufe0f]|(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0020}-\u{e007f}])[\p{Cc}\p{DI}\u2028\u2029])+|(?<![^\p{ASCII}\p{Script=Latin}])[\u200c\u200d]+|[\u200c\u200d]{2,}|(?<![^\p{ASCII}\p{Script=Latin}])[\ufe00-\ufe0f]+(?!\u20e3)|[\ufe00-\ufe0f]{2,}/u;
const blank = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000';
/** Prevents matches of empty cells in a Braille picture: short gaps, and cells at the start of a line. */
const notInBraille = '(?!\\u2800)|(?=\\u2800{200})|(?<![\\u2800-\\u28ff])(?!\\u2800{1,200}[\\u2801-\\u28ff])';
const notIndent = `(?!\\u3000{2}(?![ ${blank}]))`;
const blanks = `(?:${notInBraille})${notIndent}[${blank}][ ${blank}]*[${blank}]`;
const hidden = new RegExp(`${invisible.source}|${blanks}`, 'u');
const everyHidden = new RegExp(hidden, 'gu');
const runs = /( )\1*|([^ ])\2*/gsu;

export interface HiddenCharacter {
  readonly character: string;
  readonly count: number;
  /** The Unicode code point, for example `U+202E`. A run of equal characters has a count, for example `U+00A0 ×40`. */
  readonly codePoint: string;
  readonly title: string;
}

export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text);
}

/**
 * Replaces hidden characters with their code points. Keeps line breaks; use `toVisibleText` where they could hide
 * something.
 */
export function showHiddenCharacters(text: string): string {
  if (!hidden.test(text)) return text;
  return splitAtHiddenCharacters(text)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.codePoint}]`))
    .join('');
}

/** Splits a text into plain text and hidden characters, in order. */
export function splitAtHiddenCharacters(text: string): (string | HiddenCharacter)[] {
  const pieces: (string | HiddenCharacter)[] = [];
  let shownTo = 0;
  for (const { 0: found, index } of text.matchAll(everyHidden)) {
    pieces.push(text.slice(shownTo, index));
    for (const [run] of found.matchAll(runs)) pieces.push(run.startsWith(' ') ? run : hiddenCharacter(run));
    shownTo = index + found.length;
  }
  return [...pieces, text.slice(shownTo)].filter((piece) => piece !== '');
}

/** Returns the code point as text, for example `U+202E`. */
export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function hiddenCharacter(run: string): HiddenCharacter {
  const [character = ''] = run;
  const count = run.length / Math.max(1, character.length);
  const point = formatCodePoint(character);
  if (count === 1) return { character, count, codePoint: point, title: `An invisible character, ${point}` };
  return {
    character,
    count,
    codePoint: `${point} ×${count}`,
    title: `${count} invisible characters in a row, ${point}`,
  };
}
