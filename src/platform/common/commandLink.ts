/**
 * Returns a Markdown link that runs a command with these arguments, as JSON. A link that a name with brackets has ended would run
 * it without arguments, which is another command.
 */
export function commandLink(title: string, commandId: string, args: readonly unknown[]): string {
  const query = encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, (bracket) =>
    bracket === '(' ? '%28' : '%29',
  );
  return `[${title}](command:${commandId}?${query})`;
}
