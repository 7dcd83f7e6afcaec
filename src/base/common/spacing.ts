/** Whether `text` ends with `end`, ignoring white space, which servers and agents change when they repeat a text. */
export function endsWithText(text: string, end: string): boolean {
  if (text.endsWith(end)) return true;
  let at = lastShown(text, text.length);
  for (let wanted = lastShown(end, end.length); wanted >= 0; wanted = lastShown(end, wanted)) {
    if (at < 0 || text.charCodeAt(at) !== end.charCodeAt(wanted)) return false;
    at = lastShown(text, at);
  }
  return true;
}

/** The rest of `text` after `begun`, ignoring white space. Undefined if `text` does not start with it. */
export function textAfter(begun: string, text: string): string | undefined {
  if (text.startsWith(begun)) return text.slice(lastShown(begun, begun.length) + 1);
  let at = -1;
  for (let wanted = nextShown(begun, -1); wanted < begun.length; wanted = nextShown(begun, wanted)) {
    at = nextShown(text, at);
    if (text.charCodeAt(at) !== begun.charCodeAt(wanted)) return undefined;
  }
  return text.slice(at + 1);
}

/** Whether two texts differ only in white space. */
export function isSameText(one: string, other: string): boolean {
  return textAfter(one, other)?.trim() === '';
}

/** Index of the last non-space character before `end`, or -1. */
function lastShown(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && isSpace(text.charCodeAt(at))) at--;
  return at;
}

/** Index of the next non-space character after `position`, or the length of the text. */
function nextShown(text: string, position: number): number {
  let at = position + 1;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  if (unit > 0x20 && unit < 0xa0) return false;
  return /\s/u.test(String.fromCharCode(unit));
}
