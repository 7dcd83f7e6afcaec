import * as z from 'zod/mini';
import { threadSourceKinds } from '../../common/threadPorts';
import type { ThreadFile } from '../../common/threadReader';
import { FileKey } from '../files/fileKey';
import { HeadPart } from './threadWorkerMessages';

/** What the extension host asks of the worker that reads threads; its answers are in `workerMessages.ts`. */

const file = z.object({
  path: z.string(),
  source: z.enum(threadSourceKinds),
  threadId: z.exactOptional(z.string()),
}) satisfies z.ZodMiniType<ThreadFile>;

const files = z.array(FileKey);
const nowMs = z.number();
/** Which opened thread is meant. */
const thread = z.number();

export const WorkerRequest = z.discriminatedUnion('method', [
  /**
   * Reads the files one after another and saves what they say, with the heads that another one has `read`; `gone` is
   * forgotten. Parts: `HeadPart`.
   */
  z.object({ method: z.literal('heads'), folder: z.string(), files, read: HeadPart, gone: z.array(z.string()), nowMs }),
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
