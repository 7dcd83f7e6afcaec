import { piecesOf } from '../../base/common/hiddenCharacters';

/** Controls, invisible and reordering characters, line breaks, private ones and halves of pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** What an agent wrote, as it may stand in a question: whatever would hide or reorder the rest is spelled out. */
export function visible(text: string): string {
  return piecesOf(text)
    .map((piece) => {
      if (typeof piece === 'string') return piece.replace(unseen, spelled);
      const { character, count } = piece;
      return count > 3 ? `${spelled(character)}×${count}` : spelled(character).repeat(count);
    })
    .join('');
}

function spelled(character: string): string {
  if (character === '\n') return '\\n';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * A command in words that cannot be taken for another one: an argument with anything special in it is quoted. One that
 * is alone is a program, or a line for a shell, and stands as it is.
 */
export function visibleCommand(argv: readonly string[]): string {
  const [only] = argv;
  return argv.length === 1 && only !== undefined ? visible(only) : argv.map(quoted).join(' ');
}

function quoted(argument: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./\\~^-]+$/u.test(argument)) return argument;
  return `'${visible(argument).replaceAll("'", "'\\''")}'`;
}
