import * as z from 'zod/mini';
import type { Entry } from './entries';
import { createTextPattern } from './textPattern';
import type { TranscriptDocument } from './transcriptDocument';

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

/** How many entries are searched at once. Most of them have to be read from the disk. */
const entriesPerPause = 8;

/** Nothing in them is visible at first, so they are not even read. */
const collapsedKinds = ['thinking', 'todos', 'summary', 'media'] as const;
type CollapsedKind = (typeof collapsedKinds)[number];

interface FindOptions {
  /** Lets other tasks run. */
  readonly pause: () => Promise<void>;
  /** Ends the search with what was found so far. */
  readonly signal?: AbortSignal;
}

/**
 * Finds top-level entries that contain a text, in reading order. Only text visible in collapsed entries counts. Entries that
 * are added meanwhile are not searched.
 */
export async function findEntries(
  transcript: Pick<TranscriptDocument, 'topLevelIds' | 'kindOf' | 'get' | 'topLevelIndexOf'>,
  query: string,
  { pause, signal }: FindOptions,
): Promise<FoundEntry[]> {
  if (query === '') return [];
  const pattern = createTextPattern(query);
  const countById = new Map<string, number>();
  let searched = 0;
  for (const id of transcript.topLevelIds()) {
    const kind = transcript.kindOf(id);
    if (kind === undefined || isCollapsed(kind)) continue;
    if (searched > 0 && searched % entriesPerPause === 0) await pause();
    if (signal?.aborted === true) break;
    searched++;
    const entry = transcript.get(id);
    const count = entry ? countIn(entry, pattern) : 0;
    if (count > 0) countById.set(id, count);
    if (countById.size >= maxFoundEntries) break;
  }
  // Entries may have moved or gone during a pause.
  return [...countById].flatMap(([entryId, count]) => {
    const index = transcript.topLevelIndexOf(entryId);
    return index < 0 ? [] : { entryId, index, count };
  });
}

function countIn(entry: Entry, pattern: RegExp): number {
  return visibleTexts(entry).reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function isCollapsed(kind: Entry['kind']): boolean {
  return collapsedKinds.some((collapsed) => collapsed === kind);
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
      // A new kind has to be one of both.
      entry.kind satisfies CollapsedKind;
      return [];
  }
}
