const maxLength = 200;
/** Characters kept before the place in a shortened line. */
const lengthBefore = 60;

/** Trims a line and cuts it around `character` (0-based, in UTF-16 units). */
export function shortenLineAround(text: string, character: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxLength) return trimmed;
  const indent = text.length - text.trimStart().length;
  const at = Math.min(Math.max(0, character - indent), trimmed.length);
  const start = at <= maxLength - lengthBefore ? 0 : at - lengthBefore;
  const end = start + maxLength;
  const cut = dropHalfPairs(trimmed.slice(start, end));
  return `${start > 0 ? '…' : ''}${cut}${end < trimmed.length ? '…' : ''}`;
}

export function truncateText(text: string, length: number): string {
  return text.length <= length ? text : `${dropHalfPairs(text.slice(0, length))}…`;
}

/** Drops half surrogate pairs at either end. */
function dropHalfPairs(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
