import * as z from 'zod/mini';

/** A request of a page for another part of its transcript. The patch with the entries arrives before the answer. */
export const LoadRequest = z.discriminatedUnion('kind', [
  /** About `count` entries before or after the loaded ones. With `keepsAll`, none on the other side are unloaded. */
  z.object({
    kind: z.enum(['older', 'later']),
    count: z.int().check(z.positive()),
    keepsAll: z.boolean(),
  }),
  /** The entries around an entry. */
  z.object({ kind: z.literal('around'), entryId: z.string() }),
  /**
   * `latest`: the last entries, and all new ones from then on. `unloadOlder`: unloads the first entries if they are many;
   * sent while the reader is at the end.
   */
  z.object({ kind: z.enum(['latest', 'unloadOlder']) }),
]);
export type LoadRequest = z.infer<typeof LoadRequest>;

/** `isFound` is false if there is no such entry. */
export const LoadAnswer = z.object({ isFound: z.boolean() });
export type LoadAnswer = z.infer<typeof LoadAnswer>;
