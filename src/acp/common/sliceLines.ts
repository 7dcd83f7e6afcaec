/** Returns `limit` lines from the 0-based line `offset`, with their line endings. Empty past the end of the text. */
export function sliceLines(text: string, offset: number, limit: number): string {
  if (offset === 0 && limit === Infinity) return text;
  const start = startOfLine(text, 0, offset);
  return start < 0 || limit === 0 ? '' : text.slice(start, endOfLines(text, start, limit));
}

/** Returns the offset after `count` lines, or -1 if the text has fewer lines. LF, CRLF and CR end a line. */
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
