/**
 * `limit` lines from the one with the 0-based number `offset`, each with its line ending: windows that follow each other
 * make up the whole text. Empty when there are no such lines.
 */
export function linesOf(text: string, offset: number, limit: number): string {
  if (offset === 0 && limit === Infinity) return text;
  const start = startOfLine(text, 0, offset);
  return start < 0 || limit === 0 ? '' : text.slice(start, endOfLines(text, start, limit));
}

/** LF, CRLF and a lone CR end a line, as in the editor. Returns -1 when the text has fewer lines. */
function startOfLine(text: string, from: number, count: number): number {
  const lineEnd = /\r\n|\n|\r/g;
  lineEnd.lastIndex = from;
  for (let line = 0; line < count; line++) if (!lineEnd.test(text)) return -1;
  return count === 0 ? from : lineEnd.lastIndex;
}

function endOfLines(text: string, start: number, limit: number): number {
  const end = limit === Infinity ? -1 : startOfLine(text, start, limit);
  return end < 0 ? text.length : end;
}
