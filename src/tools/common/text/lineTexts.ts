/** Shortens code for models. */

const maxLength = 200;
/** Characters kept before the place in a shortened line. */
const before = 60;

/** Trims a line and cuts it around `character` (0-based, in UTF-16 units). */
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

/** Truncates text that is too long. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${wellFormed(text.slice(0, length))}…`;
}

/** Drops half surrogate pairs at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
