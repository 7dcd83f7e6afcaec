import type { TextIdsBeforeAndAfter, FileTextId } from './fileTexts';

/**
 * Finds files that were probably renamed, because they were created with the text of a deleted file. Returns their
 * former paths, by current path.
 */
export function findFormerPaths(
  files: ReadonlyMap<string, TextIdsBeforeAndAfter>,
  isEmpty: (text: FileTextId) => boolean,
): ReadonlyMap<string, string> {
  const deletedByText = new Map<string, string[]>();
  for (const [path, { after, before }] of files) {
    // Empty files are ignored, because many files can have an empty text.
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
