/** Text as one line: each run of white space, line breaks among it, is one space, and none is at the ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
