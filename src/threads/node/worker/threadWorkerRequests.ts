import * as z from 'zod/mini';
import { threadSourceKinds, type ThreadHead } from '../../common/threadPorts';
import type { ThreadFile } from '../../common/threadReader';
import { FileVersionKey } from '../../../texts/node/files/fileKey';

/**
 * Requests from the extension host to the thread worker. The answers are in `threadWorkerMessages.ts`, which the worker
 * only imports as types: it would otherwise load all of zod.
 */

/** Heads that the worker has read now or earlier. They are not validated, as in `threadWorkerMessages.ts`. */
export const HeadBatch = z.array(z.object({ file: FileVersionKey, head: z.nullable(z.custom<ThreadHead>()) }));
export type HeadBatch = z.infer<typeof HeadBatch>;

const file = z.object({
  path: z.string(),
  source: z.enum(threadSourceKinds),
  threadId: z.exactOptional(z.string()),
}) satisfies z.ZodMiniType<ThreadFile>;

const files = z.array(FileVersionKey);
const nowMs = z.number();
/** Identifies an open thread. */
const thread = z.number();

export const ThreadWorkerRequest = z.discriminatedUnion('method', [
  /**
   * Reads heads, and saves them together with `known`. Removes the paths in `gone`. Parts of the answer: `HeadBatch`.
   */
  z.object({
    method: z.literal('readHeads'),
    folder: z.string(),
    files,
    known: HeadBatch,
    gone: z.array(z.string()),
    nowMs,
  }),
  z.object({ method: z.literal('setFiles'), files, folders: z.array(z.string()) }),
  /** Indexes the texts. Parts of the answer: `CoveragePart`. Answer: `IndexTextsAnswer`. */
  z.object({ method: z.literal('indexTexts'), folder: z.string() }),
  z.object({ method: z.literal('search'), folder: z.string(), query: z.string(), limit: z.number(), nowMs }),
  /** Reads the head of a file. Answer: `HeadAnswer`. */
  z.object({ method: z.literal('head'), file, nowMs }),
  /** Opens a thread. `revision` is the one that the extension host has, or 0. Answer: `OpenAnswer`. */
  z.object({ method: z.literal('open'), thread, file, revision: z.number(), nowMs }),
  /** Counts the entries. Only allowed after `open`. Answer: `EntryCountAnswer`. */
  z.object({ method: z.literal('count'), thread }),
  /** Returns entries. Answer: `EntriesAnswer` with the last entries between `from` (inclusive) and `to` (exclusive). */
  z.object({ method: z.literal('entries'), thread, from: z.number(), to: z.number() }),
  z.object({ method: z.literal('raw'), thread, entryId: z.string() }),
  z.object({ method: z.literal('close'), thread }),
]);
export type ThreadWorkerRequest = z.infer<typeof ThreadWorkerRequest>;
export const WorkerCall = z.object({ id: z.number(), request: ThreadWorkerRequest });
