/** How far after the cut a space is searched, in UTF-16 units. */
const maxWordUnits = 8 * 1024;

/** Returns at most `maxUnits` of the end of a text. Cuts between words, so that no part of a long key is left. */
export function endOfText(text: string, maxUnits: number): string {
  const cut = text.length - maxUnits;
  if (cut <= 0) return text;
  const space = text.slice(cut - 1, cut + maxWordUnits).search(/\s/);
  if (space !== -1) return text.slice(cut + space);
  const unit = text.charCodeAt(cut);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? cut + 1 : cut);
}
