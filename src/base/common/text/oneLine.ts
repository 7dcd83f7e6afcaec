/** Replaces each run of white space, including line breaks, with one space, and trims the ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
