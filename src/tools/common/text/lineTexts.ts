/** Lines of code as models get them. */

const maxLength = 200;
/** Of a line that is cut: what stays before the place. */
const before = 60;

/** The line without its indent, cut to what is around the place. `character`: 0-based, in UTF-16 units. */
export function lineAround(text: string, character: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxLength) return trimmed;
  const indent = text.length - text.trimStart().length;
  const at = Math.min(Math.max(0, character - indent), trimmed.length);
  const start = at <= maxLength - before ? 0 : at - before;
  const end = start + maxLength;
  const cut = wellFormed(trimmed.slice(start, end));
  return `${start > 0 ? '…' : ''}${cut}${end < trimmed.length ? '…' : ''}`;
}

/** Cut at the end, if it is too long. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${wellFormed(text.slice(0, length))}…`;
}

/** Without half a character at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
