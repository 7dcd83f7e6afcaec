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

/** Counts the lines that two texts have in common at the start, and in the rest at the end. */
export function commonPrefixAndSuffix(
  one: readonly string[],
  other: readonly string[],
): { start: number; end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return { start, end };
}
