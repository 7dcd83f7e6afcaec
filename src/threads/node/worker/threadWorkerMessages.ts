import * as z from 'zod';
import type { TextHit } from '../../../texts/common/bestHits';
import type { Entry } from '../../../transcript/common/entries';
import type { ThreadWithEntries, ThreadErrorCode, ThreadHead } from '../../common/threadPorts';

/**
 * Messages from the thread worker to the extension host. Heads and entries are not validated here, because the worker
 * has already done that, and validating thousands of entries again would take the extension host too long.
 */

export const CoveragePart = z.object({ indexed: z.number(), total: z.number() });
export const IndexTextsAnswer = z.object({
  /** False while another window builds the index. */
  isDone: z.boolean(),
  /** False when the texts are only in the worker's memory. */
  isOnDisk: z.boolean(),
});
export type IndexTextsAnswer = z.infer<typeof IndexTextsAnswer>;
export const SearchAnswer = z.array(z.custom<TextHit>());
export const EntriesAnswer = z.object({ from: z.number(), entries: z.array(z.custom<Entry>()) });
export type EntriesAnswer = z.infer<typeof EntriesAnswer>;
export const HeadAnswer = z.custom<ThreadHead>().optional();
export const OpenAnswer = z.object({
  revision: z.number(),
  summary: z.custom<Omit<ThreadWithEntries, 'entries'>>(),
  /** Empty if the extension host already has entries of this thread. */
  lastEntries: z.array(z.custom<Entry>()),
  costMs: z.number(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;
export const EntryCountAnswer = z.object({
  entryCount: z.number(),
  /** Number of entries at the start that the extension host already has. */
  unchangedCount: z.number(),
  costMs: z.number(),
});
export type EntryCountAnswer = z.infer<typeof EntryCountAnswer>;

const id = z.number();
export const ThreadWorkerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('part'), id, value: z.unknown() }),
  z.object({ kind: z.literal('done'), id, value: z.unknown() }),
  z.object({
    kind: z.literal('failed'),
    id,
    message: z.string(),
    code: z.custom<ThreadErrorCode>().exactOptional(),
  }),
  z.object({ kind: z.literal('warning'), message: z.string() }),
]);
export type ThreadWorkerMessage = z.infer<typeof ThreadWorkerMessage>;
