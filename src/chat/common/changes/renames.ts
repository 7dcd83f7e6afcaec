import type { ChangedTexts, FileTextId } from './fileTexts';

/** Returns the former paths of files that were created with the text of a deleted one, by their path now. */
export function findFormerPaths(
  files: ReadonlyMap<string, ChangedTexts>,
  isEmpty: (text: FileTextId) => boolean,
): ReadonlyMap<string, string> {
  const deletedByText = new Map<string, string[]>();
  for (const [path, { after, before }] of files) {
    // An empty text says nothing about where it is from.
    if (after !== null || typeof before !== 'string' || isEmpty(before)) continue;
    deletedByText.set(before, [...(deletedByText.get(before) ?? []), path]);
  }
  const formerPaths = new Map<string, string>();
  for (const [path, { after, before }] of files) {
    const former = before === null && typeof after === 'string' ? deletedByText.get(after)?.shift() : undefined;
    if (former !== undefined) formerPaths.set(path, former);
  }
  return formerPaths;
}
