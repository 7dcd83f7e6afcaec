/** Returns the start of a text, in UTF-16 units, with `…` if something is left out. Does not split characters. */
export function clip(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `${text.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, '')}…`;
}
