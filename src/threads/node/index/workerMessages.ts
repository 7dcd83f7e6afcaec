import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import type { OpenThread, ThreadErrorCode, ThreadHead, ThreadHit } from '../../common/threadPorts';
import { FileKey } from './fileKey';

/** What the extension host and the worker that reads threads say to each other. */

const ReadFrom = z.object({
  path: z.string(),
  source: z.enum(['local', 'cli', 'file']),
  threadId: z.string().exactOptional(),
});
/** A file to open, and what it is there. */
export type ThreadFile = z.infer<typeof ReadFrom>;

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
  /** Reads a thread for the first time or again. `revision` is of what the host has of it; 0 for nothing. Answer: `OpenAnswer`. */
  z.object({ method: z.literal('open'), thread, file: ReadFrom, revision: z.number(), nowMs }),
  /** Answer: entries from `from` to before `to`. */
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
export const EntriesAnswer = z.array(z.custom<Entry>());
export const OpenAnswer = z.object({
  revision: z.number(),
  summary: z.custom<Omit<OpenThread, 'entries'>>(),
  entryCount: z.number(),
  /** So many from the beginning are what the host has. */
  kept: z.number(),
  /** What to ask for at once, the last ones first: bounds of entries, about equal in size. */
  chunks: z.array(z.tuple([z.number(), z.number()])),
  /** What reading it took of a processor. */
  costMs: z.number(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;

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
