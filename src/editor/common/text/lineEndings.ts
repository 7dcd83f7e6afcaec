export type LineEnding = '\n' | '\r\n';

const anyLineEnding = /\r\n|\r|\n/g;

/** Converts every line ending (LF, CRLF, lone CR) to `lineEnding`. */
export function convertLineEndings(text: string, lineEnding: LineEnding): string {
  if (lineEnding === '\n' && !text.includes('\r')) return text;
  return text.replace(anyLineEnding, lineEnding);
}

/**
 * Normalizes mixed line endings as VS Code does when it opens a file: to CRLF if more than half of them have a CR,
 * otherwise to LF. As a result, offsets are equal in open and closed files.
 */
export function unifyLineEndings(text: string): string {
  if (!text.includes('\r')) return text;
  let total = 0;
  let withCr = 0;
  let mixed = false;
  for (const [ending] of text.matchAll(anyLineEnding)) {
    total++;
    if (ending !== '\n') withCr++;
    if (ending !== '\r\n') mixed = true;
  }
  return mixed ? convertLineEndings(text, withCr > total / 2 ? '\r\n' : '\n') : text;
}
