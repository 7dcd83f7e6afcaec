/** Formats text as a Markdown code block, with a fence longer than any in the text. Ends with a line break. */
export function fencedBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}
