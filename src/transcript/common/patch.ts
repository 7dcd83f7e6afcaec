import * as z from 'zod/mini';
import { Entry } from './entries';

/** What has changed in a transcript since a page last heard of it. Applied in this order: reset, remove, later, put, append, older. */
export const TranscriptPatch = z.object({
  /** Forget everything first. */
  reset: z.optional(z.boolean()),
  remove: z.optional(z.array(z.string())),
  /** New entries, in reading order behind those that are there, and entries that have changed, in the place they have. */
  put: z.optional(z.array(Entry)),
  /** Text to be added to the end of an `answer` or `thinking`. */
  append: z.optional(z.array(z.object({ id: z.string(), text: z.string() }))),
  /** Entries that come before all that are there, in reading order. They are not new, the page only did not have them. */
  older: z.optional(z.array(Entry)),
  /** The same, after all that are there. */
  later: z.optional(z.array(Entry)),
  /** How many entries there are before the first one that the page has. */
  before: z.int().check(z.nonnegative()),
  /** How many entries there are after the last one that the page has; none when it is left out. */
  after: z.optional(z.int().check(z.positive())),
});
export type TranscriptPatch = z.infer<typeof TranscriptPatch>;
