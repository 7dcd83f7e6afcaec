/** Returns the first lines. If there are more, the last one says how many, for example `… and 2 more`. */
export function truncateList(lines: readonly string[], maxLines: number): string[] {
  const left = lines.length - maxLines;
  return left > 0 ? [...lines.slice(0, maxLines), `… and ${left} more`] : [...lines];
}
