import { codePointOf, piecesOf } from './hiddenCharacters';

/** Controls, invisible and reordering characters, line breaks, private ones and halves of pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/**
 * What others wrote, as it may stand in a question: one line, in which whatever would hide or reorder the rest is named by
 * its code point.
 */
export function visible(text: string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece.replace(unseen, named) : `[${piece.code}]`))
    .join('');
}

function named(character: string): string {
  return character === '\n' ? '\\n' : `[${codePointOf(character)}]`;
}

/**
 * A command in words that cannot be taken for another one: an argument with anything special in it is quoted. One that
 * is alone is a program, or a line for a shell, and stands as it is.
 */
export function visibleCommand(argv: readonly string[]): string {
  const [only] = argv;
  return argv.length === 1 && only !== undefined ? visible(only) : visibleWords(argv);
}

/** A program and its arguments, as `visibleCommand` has them; a program is quoted also when it is alone. */
export function visibleWords(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

function quoted(argument: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./\\~^-]+$/u.test(argument)) return argument;
  return `'${visible(argument).replaceAll("'", "'\\''")}'`;
}
