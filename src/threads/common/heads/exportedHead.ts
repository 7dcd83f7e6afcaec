import * as z from 'zod/mini';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { listOf, textOf, timeOf } from '../model/jsonValues';
import type { ReadFrom } from '../threadReader';
import { soft } from '../model/threadSchema';
import { relationRoles, relationTypes, type OpenThread, type ThreadHead } from '../threadPorts';

/** What our own JSON export says of a thread before its entries. A field of another type than expected counts as missing. */

const Text = soft(z.string());
const Count = soft(z.int().check(z.nonnegative()));
const Texts = soft(z.array(z.string()));

const Relation = z.object({
  type: z.enum(relationTypes),
  role: z.enum(relationRoles),
  threadId: z.string(),
});
const Fact = z.object({ label: z.string(), value: z.string() });

/** As in `entries.ts`, which the list does not load. */
const Usage = z.object({
  input: z.optional(z.number()),
  output: z.optional(z.number()),
  cacheRead: z.optional(z.number()),
  cacheWrite: z.optional(z.number()),
  cost: z.optional(z.object({ amount: z.number(), currency: z.string() })),
});

const ThreadPart = z.object({
  id: Text,
  folders: Texts,
  repository: Text,
  branch: Text,
  mode: Text,
  model: Text,
  usage: soft(Usage),
  firstPrompt: Text,
  promptCount: Count,
  messageCount: Count,
  hasChanges: soft(z.boolean()),
  isArchived: soft(z.boolean()),
  relations: soft(z.array(Relation)),
  facts: soft(z.array(Fact)),
  notes: Texts,
});

const Export = z.object({
  format: z.literal('backline-transcript'),
  version: z.literal(1),
  title: Text,
  createdAt: Text,
  updatedAt: Text,
  thread: soft(ThreadPart),
  entries: z.array(z.optional(z.unknown())),
});
type Export = z.infer<typeof Export>;

/** Undefined for what is no export of ours. */
export function parseExport(json: unknown): Export | undefined {
  return Export.safeParse(json).data;
}

/** What an export has to say of a thread, to be opened again as what it was. */
export function exportedPart({ head, facts, notes }: OpenThread): Readonly<Record<string, unknown>> {
  const { id, folders, repository, branch, mode, model, usage, firstPrompt } = head;
  const { promptCount, messageCount, hasChanges, isArchived, relations } = head;
  const part: z.input<typeof ThreadPart> = {
    ...{ id, repository, branch, mode, model, usage, firstPrompt, promptCount, messageCount, hasChanges, isArchived },
    folders: [...folders],
    relations: [...relations],
    facts: [...facts],
    notes: [...notes],
  };
  return part;
}

export function exportedHead(json: unknown, from: ReadFrom): ThreadHead | undefined {
  const parsed = parseExport(json);
  return parsed && headOfExport(parsed, from);
}

export function headOfExport({ title, thread, entries, createdAt, updatedAt }: Export, from: ReadFrom): ThreadHead {
  const { source, path, sizeBytes, mtimeMs } = from;
  const created = timeOf(createdAt);
  const { repository, branch, mode, model, usage, firstPrompt } = thread ?? {};
  const own = thread?.id !== undefined && /^T-[\w-]+$/.test(thread.id) ? thread.id : undefined;
  return {
    id: from.threadId ?? own ?? path ?? 'unknown',
    source,
    ...withoutUndefined({ path, sizeBytes, mtimeMs, title: textOf(title), createdAt: created }),
    ...withoutUndefined({ repository, branch, mode, model, usage, firstPrompt }),
    folders: thread?.folders ?? [],
    lastPromptAt: timeOf(updatedAt) ?? created ?? mtimeMs ?? 0,
    promptCount: thread?.promptCount ?? 0,
    messageCount: thread?.messageCount ?? listOf(entries).length,
    hasChanges: thread?.hasChanges ?? false,
    isArchived: thread?.isArchived ?? false,
    state: 'idle',
    relations: thread?.relations ?? [],
  };
}
