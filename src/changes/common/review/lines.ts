/** Splits a text into lines without line endings, as VS Code counts them: an empty text has one line. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Returns the most frequent line ending of a text; `\n` for a single line. */
export function lineEndingOf(text: string): '\n' | '\r\n' {
  const crlf = text.match(/\r\n/g)?.length ?? 0;
  const all = text.match(/\n/g)?.length ?? 0;
  return crlf > all - crlf ? '\r\n' : '\n';
}
