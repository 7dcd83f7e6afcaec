import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import type { OpenThread, ThreadErrorCode, ThreadHead, ThreadHit } from '../../common/threadPorts';
import { FileKey } from '../files/fileKey';

/** What the worker that reads threads answers the extension host. */

// The worker is our own code, and what it read was checked there: it is typed here, not checked again, which for
// thousands of entries would take the host longer than all else.
export const HeadPart = z.array(z.object({ file: FileKey, head: z.custom<ThreadHead>().nullable() }));
export type HeadPart = z.infer<typeof HeadPart>;
export const CoveragePart = z.object({ indexed: z.number(), total: z.number() });
export const TextsBuilt = z.object({
  /** Not while another window is at it. */
  isDone: z.boolean(),
  /** On disk; else the worker has it in memory. */
  isKept: z.boolean(),
});
export type TextsBuilt = z.infer<typeof TextsBuilt>;
export const Hits = z.array(z.custom<ThreadHit>());
export const EntriesAnswer = z.object({ from: z.number(), entries: z.array(z.custom<Entry>()) });
export type EntriesAnswer = z.infer<typeof EntriesAnswer>;
export const HeadAnswer = z.custom<ThreadHead>().optional();
export const OpenAnswer = z.object({
  revision: z.number(),
  summary: z.custom<Omit<OpenThread, 'entries'>>(),
  /** The last of its entries, for one that the host has nothing of. */
  last: z.array(z.custom<Entry>()),
  costMs: z.number(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;
export const CountAnswer = z.object({
  entryCount: z.number(),
  /** So many from the beginning are what the host has. */
  kept: z.number(),
  costMs: z.number(),
});
export type CountAnswer = z.infer<typeof CountAnswer>;

const id = z.number();
export const WorkerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('part'), id, value: z.unknown() }),
  z.object({ kind: z.literal('done'), id, value: z.unknown() }),
  /** `code` is that of a `ThreadError`. */
  z.object({
    kind: z.literal('failed'),
    id,
    message: z.string(),
    code: z.custom<ThreadErrorCode>().exactOptional(),
  }),
  z.object({ kind: z.literal('warning'), message: z.string() }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;
