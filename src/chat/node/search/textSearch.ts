import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';

/** What was found in the texts of conversations. */
export const FoundTexts = z.object({
  /** The best text of each conversation, the best conversation first. */
  hits: z.array(z.object({ conversation: z.string(), entryId: z.optional(z.string()), snippet: z.string() })),
  /** How many conversations could be searched, if not all: search again later. */
  left: z.optional(z.object({ done: z.number(), total: z.number() })),
});
export type FoundTexts = z.infer<typeof FoundTexts>;

/** Finds conversations by what was said in them. Nothing is read before the first call. */
export interface TextSearch extends Disposable {
  /** Reads what has changed since. Resolves when that is done, or left to another window. Never rejects. */
  update(): Promise<void>;
  /** Finds the conversations that contain all words of a query; see `parseQuery`. Never rejects. */
  search(query: string): Promise<FoundTexts>;
  /** Call when a conversation was deleted, so that nothing of its texts is kept. Never rejects. */
  forgetDeleted(): Promise<void>;
}

/** Requests to the worker. */
export const TextSearchCall = z.object({
  id: z.number(),
  /** Undefined to update the index. */
  query: z.optional(z.string()),
});
export const TextSearchAnswer = z.object({
  id: z.number(),
  found: z.optional(FoundTexts),
  error: z.optional(z.string()),
});
export const TextSearchPlace = z.object({
  /** Absolute path of the folder for all conversations. */
  root: z.string(),
  /** Absolute path of the folder of the index. */
  folder: z.string(),
});
export type TextSearchPlace = z.infer<typeof TextSearchPlace>;
