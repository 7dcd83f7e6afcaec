import * as z from 'zod/mini';

const count = z.int().check(z.positive(), z.lte(1_000));
/** With `keepsAll`, no entries on the other side are unloaded. */
const more = { count, keepsAll: z.boolean() };

/** A request of a page for another part of its transcript. The entries arrive with the next patch. */
export const LoadRequest = z.discriminatedUnion('kind', [
  /** About `count` entries before the loaded ones. */
  z.object({ kind: z.literal('older'), ...more }),
  /** Up to `count` entries after the loaded ones. */
  z.object({ kind: z.literal('later'), ...more }),
  /** The entries around an entry. */
  z.object({ kind: z.literal('around'), entryId: z.string() }),
  /** The last entries, and all new ones from then on. */
  z.object({ kind: z.literal('latest') }),
  /** Unloads the first entries if they are many. Sent while the reader is at the end. */
  z.object({ kind: z.literal('unloadOlder') }),
]);
export type LoadRequest = z.infer<typeof LoadRequest>;

/** `isFound` is false if there is no such entry. */
export const LoadAnswer = z.object({ isFound: z.boolean() });
export type LoadAnswer = z.infer<typeof LoadAnswer>;
