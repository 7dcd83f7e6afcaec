import * as z from 'zod/mini';

/** A request of a page to change the loaded part of its transcript. A connected page gets the patch before the answer. */
export const LoadRequest = z.discriminatedUnion('kind', [
  /** About `count` entries before or after the loaded ones. With `keepsAll`, none on the other side are unloaded. */
  z.object({
    kind: z.enum(['older', 'later']),
    count: z.int(),
    keepsAll: z.boolean(),
  }),
  /** `around`: the entries around an entry. `unloadFar`: unloads the entries that are far from it. */
  z.object({ kind: z.enum(['around', 'unloadFar']), entryId: z.string() }),
  /** The last entries, and all new ones from then on. */
  z.object({ kind: z.literal('latest') }),
]);
export type LoadRequest = z.infer<typeof LoadRequest>;

/** `isFound` is false if there is no such entry. */
export const LoadAnswer = z.object({ isFound: z.boolean() });
export type LoadAnswer = z.infer<typeof LoadAnswer>;
