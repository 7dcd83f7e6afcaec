/**
 * Returns a Markdown link that runs a command with these arguments, as JSON. Their brackets are encoded too: one in a file name
 * could end the link, which would then run the command without arguments, and so for something else.
 */
export function commandLink(title: string, commandId: string, args: readonly unknown[]): string {
  const query = encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, (bracket) =>
    bracket === '(' ? '%28' : '%29',
  );
  return `[${title}](command:${commandId}?${query})`;
}
