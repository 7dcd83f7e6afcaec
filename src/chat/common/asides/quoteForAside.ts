/** Longest part of an answer that is quoted, in UTF-16 units. */
const maxUnits = 8000;

/** Returns the beginning of a side question: the text that it is about as a Markdown quote. Empty for blank text. */
export function quoteForAside(text: string): string {
  const shown = text.trim();
  if (shown === '') return '';
  const cut = shown.length <= maxUnits ? shown : `${shown.slice(0, maxUnits).toWellFormed()}…`;
  const lines = cut.split(/\r\n|\r|\n/).map((line) => (line.trim() === '' ? '>' : `> ${line}`));
  return `${lines.join('\n')}\n\n`;
}
