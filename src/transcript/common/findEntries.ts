import * as z from 'zod/mini';
import type { Entry } from './entries';
import { createTextPattern } from './textPattern';

const Count = z.int().check(z.nonnegative());

export const FoundEntry = z.object({
  entryId: z.string(),
  /** Position of the entry among the top-level entries of the whole transcript, 0-based. */
  index: Count,
  /** Number of occurrences of the text in the entry. */
  count: Count,
});
export type FoundEntry = z.infer<typeof FoundEntry>;

/** Maximum number of results, because more are not useful for the user. */
export const maxFoundEntries = 5_000;

/** Finds top-level entries that contain a text, in reading order. Only text visible in collapsed entries counts. */
export function findEntries(topLevelEntries: Iterable<Entry>, query: string): FoundEntry[] {
  if (query === '') return [];
  const pattern = createTextPattern(query);
  const found: FoundEntry[] = [];
  let index = -1;
  for (const entry of topLevelEntries) {
    index++;
    const count = visibleTexts(entry).reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
    if (count === 0) continue;
    found.push({ entryId: entry.id, index, count });
    if (found.length >= maxFoundEntries) break;
  }
  return found;
}

/**
 * Returns texts that are visible at first. Steps, thoughts and results of calls are collapsed then, but not those of failed
 * calls. Of these, only the error counts, because other results may be shortened.
 */
function visibleTexts(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case 'prompt':
    case 'answer':
    case 'notice':
      return [entry.text];
    case 'tool':
      return entry.state === 'failed' && entry.error !== undefined ? [entry.title, entry.error] : [entry.title];
    case 'raw':
      return [entry.label];
    case 'end':
      return entry.text === undefined ? [] : [entry.text];
    default:
      return [];
  }
}
