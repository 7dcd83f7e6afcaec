import { isAscii } from './fold';

/** Maximum length of a word, in UTF-16 units. Longer ones, usually hashes or encoded files, are truncated. */
export const maxWordUnits = 48;

const asciiWord = /[a-z0-9]+/g;
const anyWord =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]]+/gv;
const unspacedScript = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const letter = /^[\p{L}\p{N}]/u;

/**
 * Splits folded text into words, which are sequences of letters and digits. In scripts without spaces, each character
 * is a word, so that a search finds text in the middle of a sequence. Keeps repeated words.
 */
export function wordsOf(folded: string): readonly string[] {
  const words = folded.match(isAscii(folded) ? asciiWord : anyWord) ?? [];
  return words.map((word) => (word.length > maxWordUnits ? word.slice(0, maxWordUnits) : word));
}

/** Whether a word of the folded text can start or end at this position. */
export function isWordBoundary(folded: string, position: number): boolean {
  const [before, after] = [folded.charCodeAt(position - 1), folded.charCodeAt(position)];
  if (before < 0x80 && after < 0x80) return !isAsciiWordUnit(before) || !isAsciiWordUnit(after);
  return !isInWord(characterBefore(folded, position)) || !isInWord(characterAt(folded, position));
}

/** Whether a character separates words. */
export function isSeparator(character: string): boolean {
  return character > lastAscii ? !letter.test(character) : !isAsciiWord(character);
}

/** Returns the character (code point) at a position. Undefined at the end. */
export function characterAt(text: string, position: number): string | undefined {
  const unit = text[position];
  if (unit === undefined || unit <= lastAscii) return unit;
  const code = text.codePointAt(position);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

function characterBefore(text: string, position: number): string | undefined {
  const unit = text[position - 1];
  if (unit === undefined || unit <= lastAscii) return unit;
  return lowSurrogate.test(unit) && position > 1 ? characterAt(text, position - 2) : unit;
}

function isInWord(character: string | undefined): boolean {
  if (character === undefined) return false;
  if (character <= lastAscii) return isAsciiWord(character);
  return letter.test(character) && !unspacedScript.test(character);
}

function isAsciiWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

function isAsciiWord(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

const lastAscii = '\x7f';
const lowSurrogate = /[\udc00-\udfff]/;
