/** The text without its white space: servers and agents change that when they tell a text again. */
export function withoutSpace(text: string): string {
  return text.replace(/\s+/gu, '');
}

/** What `text` has behind `begun`, whatever the white space in them; undefined when it does not begin so. */
export function textAfter(begun: string, text: string): string | undefined {
  const skipped = withoutSpace(begun);
  if (!withoutSpace(text).startsWith(skipped)) return undefined;
  let index = 0;
  for (let left = skipped.length; left > 0; index++) if (!/\s/u.test(text.charAt(index))) left--;
  return text.slice(index);
}
