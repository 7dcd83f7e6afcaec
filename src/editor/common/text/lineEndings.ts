export type LineEnding = '\n' | '\r\n';

const anyLineEnding = /\r\n|\r|\n/g;

/** Every line ending of `text` (LF, CRLF, lone CR) as `lineEnding`. */
export function withLineEnding(text: string, lineEnding: LineEnding): string {
  if (lineEnding === '\n' && !text.includes('\r')) return text;
  return text.replace(anyLineEnding, lineEnding);
}

/**
 * The text a VS Code buffer holds for a file with this text: one kind of line ending, CRLF when more than half of them
 * have a CR. A file thus reads the same, and offsets mean the same, whether or not it is open.
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
  return mixed ? withLineEnding(text, withCr > total / 2 ? '\r\n' : '\n') : text;
}
