/** Whether `text` ends with `end`, ignoring white space, which servers and agents change when they repeat a text. */
export function endsWithIgnoringSpace(text: string, end: string): boolean {
  if (text.endsWith(end)) return true;
  let at = lastNonSpace(text, text.length);
  for (let expectedAt = lastNonSpace(end, end.length); expectedAt >= 0; expectedAt = lastNonSpace(end, expectedAt)) {
    if (at < 0 || text.charCodeAt(at) !== end.charCodeAt(expectedAt)) return false;
    at = lastNonSpace(text, at);
  }
  return true;
}

/** The rest of `text` after `prefix`, ignoring white space. Undefined if `text` does not start with it. */
export function textAfterPrefixIgnoringSpace(prefix: string, text: string): string | undefined {
  if (text.startsWith(prefix)) return text.slice(lastNonSpace(prefix, prefix.length) + 1);
  let at = -1;
  for (
    let expectedAt = nextNonSpace(prefix, -1);
    expectedAt < prefix.length;
    expectedAt = nextNonSpace(prefix, expectedAt)
  ) {
    at = nextNonSpace(text, at);
    if (text.charCodeAt(at) !== prefix.charCodeAt(expectedAt)) return undefined;
  }
  return text.slice(at + 1);
}

/** Whether two texts differ only in white space. */
export function isEqualIgnoringSpace(one: string, other: string): boolean {
  return textAfterPrefixIgnoringSpace(one, other)?.trim() === '';
}

/** Index of the last non-space character before `end`, or -1. */
function lastNonSpace(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && isSpace(text.charCodeAt(at))) at--;
  return at;
}

/** Index of the next non-space character after `position`, or the length of the text. */
function nextNonSpace(text: string, position: number): number {
  let at = position + 1;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  if (unit > 0x20 && unit < 0xa0) return false;
  return /\s/u.test(String.fromCharCode(unit));
}
