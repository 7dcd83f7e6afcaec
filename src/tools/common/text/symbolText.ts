import type { Position } from '../../../editor/common/editorPort';
import type { LineIndex } from '../../../editor/common/text/textOffsets';

/** A character that can be part of a name in code. */
const wordCharacter = /[\p{ID_Continue}$\u200c\u200d]/u;
const maxOccurrences = 10_000;

interface FoundName {
  readonly position: Position;
  /** Whether it was found on a different line from the given one. */
  readonly isInOtherLine: boolean;
}

/** Splits a qualified name: `Parser.parse()` is `parse` in `Parser`. */
export function splitQualifiedName(symbol: string): { readonly name: string; readonly container: string | undefined } {
  const bare = symbol.trim().replace(/\(.*\)?$/su, '');
  const parts = bare.split(/\.|::|#(?=.)|->/u).filter((part) => part !== '');
  const name = parts.at(-1);
  if (name === undefined || parts.length === 1)
    return { name: bare === '' ? symbol.trim() : bare, container: undefined };
  return { name, container: parts.at(-2) };
}

/** 0-based UTF-16 offsets of a whole word in a line; those in code before those in strings and comments. */
export function occurrencesInLine(line: string, name: string): number[] {
  const found = wholeWordOffsets(line, name);
  const inCode = found.filter((at) => !isQuoted(line, at));
  return [...inCode, ...found.filter((at) => !inCode.includes(at))];
}

/** The occurrence nearest to the 0-based `line` and `column`, else the first. Undefined if there is none. */
export function findNearestOccurrence(
  lines: LineIndex,
  name: string,
  line: number | undefined,
  column?: number,
): FoundName | undefined {
  const asked =
    line === undefined || line >= lines.lineCount ? undefined : occurrencesInLine(lines.lineText(line), name);
  if (line !== undefined && asked?.length) {
    const [first = 0] = asked;
    const character =
      column === undefined
        ? first
        : asked.reduce((best, at) => (Math.abs(at - column) < Math.abs(best - column) ? at : best), first);
    return { position: { line, character }, isInOtherLine: false };
  }
  const all = wholeWordOffsets(lines.text, name).map((offset) => lines.positionAt(offset));
  const inCode = all.filter(({ line: at, character }) => !isQuoted(lines.lineText(at), character));
  const candidates = inCode.length > 0 ? inCode : all;
  const wanted = line ?? 0;
  const nearest = candidates.reduce<Position | undefined>(
    (best, at) => (best && Math.abs(best.line - wanted) <= Math.abs(at.line - wanted) ? best : at),
    undefined,
  );
  return nearest && { position: nearest, isInOtherLine: line !== undefined };
}

export function namesInLine(line: string): string[] {
  const words = line.match(/[\p{ID_Start}_$][\p{ID_Continue}$]*/gu) ?? [];
  return [...new Set(words)];
}

function wholeWordOffsets(text: string, name: string): number[] {
  const found: number[] = [];
  if (name === '' || /[\r\n]/.test(name)) return found;
  for (let at = text.indexOf(name); at !== -1 && found.length < maxOccurrences; at = text.indexOf(name, at + 1)) {
    if (isWholeWord(text, at, name)) found.push(at);
  }
  return found;
}

function isWholeWord(text: string, at: number, name: string): boolean {
  const isBoundary = (left: string, right: string): boolean => !wordCharacter.test(left) || !wordCharacter.test(right);
  const end = at + name.length;
  return (
    isBoundary(characterBefore(text, at), characterAt(name, 0)) &&
    isBoundary(characterBefore(name, name.length), characterAt(text, end))
  );
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 2), at));
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at);
}

/** Guesses whether a place is in a string or comment; only affects the order of attempts. */
function isQuoted(line: string, at: number): boolean {
  if (/^\s*(?:\/\/|\/\*|\*|#(?!\w*\s*\()|--)/.test(line.slice(0, at))) return true;
  let quote = '';
  for (let index = 0; index < at; index++) {
    const letter = line.charAt(index);
    if (letter === '\\') index++;
    else if (quote === '' && `"'\``.includes(letter)) quote = letter;
    else if (letter === quote) quote = '';
    else if (quote === '' && line.startsWith('//', index)) return true;
  }
  return quote !== '' && line.includes(quote, at);
}
