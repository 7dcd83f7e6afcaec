/** Removes the backticks around code in a title, which is shown as plain text. */
export function withoutCodeMarks(title: string): string {
  return title.replaceAll(/(`+)([^`]+)\1/g, '$2');
}
