/** Whether the text ends so, whatever the white space: servers and agents change that when they tell a text again. */
export function endsWithText(text: string, end: string): boolean {
  if (text.endsWith(end)) return true;
  let at = lastShown(text, text.length);
  for (let wanted = lastShown(end, end.length); wanted >= 0; wanted = lastShown(end, wanted)) {
    if (at < 0 || text.charCodeAt(at) !== end.charCodeAt(wanted)) return false;
    at = lastShown(text, at);
  }
  return true;
}

/** What `text` has behind `begun`, whatever the white space in them; undefined when it does not begin so. */
export function textAfter(begun: string, text: string): string | undefined {
  if (text.startsWith(begun)) return text.slice(lastShown(begun, begun.length) + 1);
  let at = -1;
  for (let wanted = nextShown(begun, -1); wanted < begun.length; wanted = nextShown(begun, wanted)) {
    at = nextShown(text, at);
    if (text.charCodeAt(at) !== begun.charCodeAt(wanted)) return undefined;
  }
  return text.slice(at + 1);
}

/** Whether they are the same but for white space. */
export function isSameText(one: string, other: string): boolean {
  return textAfter(one, other)?.trim() === '';
}

/** Where the last character before `end` is that is no white space; -1 when there is none. */
function lastShown(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && isSpace(text.charCodeAt(at))) at--;
  return at;
}

/** Where the next one after `position` is; the length when there is none. */
function nextShown(text: string, position: number): number {
  let at = position + 1;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  if (unit > 0x20 && unit < 0xa0) return false;
  return /\s/u.test(String.fromCharCode(unit));
}
