/** Counts the items that two lists have in common at the start, and in the rest at the end. */
export function commonPrefixAndSuffix(
  one: readonly string[],
  other: readonly string[],
): { start: number; end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return { start, end };
}
