import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import type { OpenThread, ThreadErrorCode, ThreadHead, ThreadHit } from '../../common/threadPorts';
import type { ThreadFile } from '../../common/threadReader';
import { FileKey } from './fileKey';

/** What the extension host and the worker that reads threads say to each other. */

const file = z.object({
  path: z.string(),
  source: z.enum(['local', 'cli', 'file']),
  threadId: z.string().exactOptional(),
}) satisfies z.ZodType<ThreadFile>;

const files = z.array(FileKey);
const nowMs = z.number();
/** Which opened thread is meant. */
const thread = z.number();

export const WorkerRequest = z.discriminatedUnion('method', [
  /** Reads the files one after another and saves what they say; `gone` is forgotten. Parts: `HeadPart`. */
  z.object({ method: z.literal('heads'), folder: z.string(), files, gone: z.array(z.string()), nowMs }),
  z.object({ method: z.literal('know'), files, folders: z.array(z.string()) }),
  /** Parts: `CoveragePart`. Answer: false when another window does it. */
  z.object({ method: z.literal('texts'), folder: z.string() }),
  z.object({ method: z.literal('search'), folder: z.string(), query: z.string(), limit: z.number(), nowMs }),
  /** Answer: `HeadAnswer`. */
  z.object({ method: z.literal('head'), file, nowMs }),
  /** Reads a thread for the first time or again. `revision` is of what the host has of it; 0 for nothing. Answer: `OpenAnswer`. */
  z.object({ method: z.literal('open'), thread, file, revision: z.number(), nowMs }),
  /** After `open`. Answer: `CountAnswer`. */
  z.object({ method: z.literal('count'), thread }),
  /** Answer: `EntriesAnswer`, as many as are taken in at once of those that end before `to` and not before `from`. */
  z.object({ method: z.literal('entries'), thread, from: z.number(), to: z.number() }),
  z.object({ method: z.literal('raw'), thread, entryId: z.string() }),
  z.object({ method: z.literal('close'), thread }),
]);
export type WorkerRequest = z.infer<typeof WorkerRequest>;
export const WorkerCall = z.object({ id: z.number(), request: WorkerRequest });

// The worker is our own code, and what it read was checked there: it is typed here, not checked again, which for
// thousands of entries would take the host longer than all else.
export const HeadPart = z.array(z.object({ file: FileKey, head: z.custom<ThreadHead>().nullable() }));
export type HeadPart = z.infer<typeof HeadPart>;
export const CoveragePart = z.object({ indexed: z.number(), total: z.number() });
export const Hits = z.array(z.custom<ThreadHit>());
export const EntriesAnswer = z.object({ from: z.number(), entries: z.array(z.custom<Entry>()) });
export type EntriesAnswer = z.infer<typeof EntriesAnswer>;
export const HeadAnswer = z.custom<ThreadHead>().optional();
export const OpenAnswer = z.object({
  revision: z.number(),
  summary: z.custom<Omit<OpenThread, 'entries'>>(),
  /** The last of its entries, for one that the host has nothing of. */
  last: z.array(z.custom<Entry>()),
  /** What reading it took of a processor. */
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
