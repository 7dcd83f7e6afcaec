import { formatCodePoint, splitAtHiddenCharacters } from './hiddenCharacters';

/** Control, format and private-use characters, line separators and lone surrogates. */
const hiddenOrControl = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** Makes untrusted text safe for a dialog: one line, with hidden characters as code points. */
export function toVisibleText(text: string): string {
  return splitAtHiddenCharacters(text)
    .map((piece) =>
      typeof piece === 'string' ? piece.replace(hiddenOrControl, codePointName) : `[${piece.codePoint}]`,
    )
    .join('');
}

function codePointName(character: string): string {
  return character === '\n' ? '\\n' : `[${formatCodePoint(character)}]`;
}

/** Formats a command unambiguously, quoting special arguments. A single element is a shell line and is not quoted. */
export function formatCommand(argv: readonly string[]): string {
  const [only] = argv;
  return argv.length === 1 && only !== undefined ? toVisibleText(only) : formatProgram(argv);
}

/** Formats a program and its arguments like `formatCommand`, but also quotes a single element. */
export function formatProgram(argv: readonly string[]): string {
  return argv.map(quoteArgument).join(' ');
}

/** Without quotes, a shell reads these as they are written. In a path of Windows, a backslash separates folders. */
const plainArgument = /^(?:[\p{L}\p{N}_@%+=:,./^-][\p{L}\p{N}_@%+=:,./~^-]*|[A-Za-z]:[\p{L}\p{N}_@%+=:,./\\~^-]*)$/u;

function quoteArgument(argument: string): string {
  if (plainArgument.test(argument)) return argument;
  return `'${toVisibleText(argument).replaceAll("'", "'\\''")}'`;
}

/** Quotes an argument for a POSIX shell if necessary. The shell reads the original value. */
export function quoteForPosixShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Removes the backticks around code in a title, which is shown as plain text. */
export function withoutCodeMarks(title: string): string {
  return title.replaceAll(/(`+)([^`]+)\1/g, '$2');
}
