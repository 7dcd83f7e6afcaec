import * as z from 'zod/mini';
import { Entry } from './entries';

/** Changes of a transcript since the last patch, applied in this order: reset, remove, unload, later, put, append, older. */
export const TranscriptPatch = z.object({
  reset: z.optional(z.boolean()),
  remove: z.optional(z.array(z.string())),
  /** The first or last loaded entries. They still exist, but the page no longer needs them. */
  unload: z.optional(z.array(z.string())),
  /** New entries are appended in reading order. Changed entries are replaced. */
  put: z.optional(z.array(Entry)),
  append: z.optional(z.array(z.object({ id: z.string(), text: z.string() }))),
  /** Earlier entries that are loaded now, in reading order. */
  older: z.optional(z.array(Entry)),
  /** Later entries that are loaded now, in reading order. */
  later: z.optional(z.array(Entry)),
  /** Number of top-level entries before the loaded entries. */
  before: z.int().check(z.nonnegative()),
  /** Number of top-level entries after the loaded entries. Absent if there are none. */
  after: z.optional(z.int().check(z.positive())),
  /** How many of these were added since the last patch. */
  unloadedAddedCount: z.optional(z.int()),
  /** The prompts, ends of turns and notices among these. The page does not show them. */
  addedElsewhere: z.optional(z.array(Entry)),
});
export type TranscriptPatch = z.infer<typeof TranscriptPatch>;
