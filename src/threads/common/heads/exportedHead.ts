import * as z from 'zod/mini';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { asList, asNonEmptyText, asTimeMs } from '../model/jsonValues';
import type { DocumentOrigin } from '../threadReader';
import { optionalIgnoringInvalid } from '../model/threadSchema';
import { relationRoles, relationTypes, type ThreadWithEntries, type ThreadHead } from '../threadPorts';

const Text = optionalIgnoringInvalid(z.string());
const Count = optionalIgnoringInvalid(z.int().check(z.nonnegative()));
const Texts = optionalIgnoringInvalid(z.array(z.string()));

const Relation = z.object({
  type: z.enum(relationTypes),
  role: z.enum(relationRoles),
  threadId: z.string(),
});
const Fact = z.object({ label: z.string(), value: z.string() });

/** The same schema as in `entries.ts`, which is too large to load for the list. */
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
  usage: optionalIgnoringInvalid(Usage),
  firstPrompt: Text,
  promptCount: Count,
  messageCount: Count,
  hasChanges: optionalIgnoringInvalid(z.boolean()),
  isArchived: optionalIgnoringInvalid(z.boolean()),
  relations: optionalIgnoringInvalid(z.array(Relation)),
  facts: optionalIgnoringInvalid(z.array(Fact)),
  notes: Texts,
});

const Export = z.object({
  format: z.literal('backline-transcript'),
  version: z.literal(1),
  title: Text,
  createdAt: Text,
  updatedAt: Text,
  thread: optionalIgnoringInvalid(ThreadPart),
  entries: z.array(z.optional(z.unknown())),
});
type Export = z.infer<typeof Export>;

/** Parses a JSON export of Backline. A field of an unexpected type counts as missing. Undefined for other files. */
export function parseExport(json: unknown): Export | undefined {
  return Export.safeParse(json).data;
}

/** Returns the thread's metadata for a JSON export. It is restored when the file is opened. */
export function exportMetadata({ head, facts, notes }: ThreadWithEntries): Readonly<Record<string, unknown>> {
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

export function headOfExport(
  { title, thread, entries, createdAt, updatedAt }: Export,
  from: DocumentOrigin,
): ThreadHead {
  const { source, path, sizeBytes, mtimeMs } = from;
  const createdTime = asTimeMs(createdAt);
  const { repository, branch, mode, model, usage, firstPrompt } = thread ?? {};
  const ownId = thread?.id !== undefined && /^T-[\w-]+$/.test(thread.id) ? thread.id : undefined;
  return {
    id: from.threadId ?? ownId ?? path ?? 'unknown',
    source,
    ...withoutUndefined({ path, sizeBytes, mtimeMs, title: asNonEmptyText(title), createdAt: createdTime }),
    ...withoutUndefined({ repository, branch, mode, model, usage, firstPrompt }),
    folders: thread?.folders ?? [],
    lastPromptAt: asTimeMs(updatedAt) ?? createdTime ?? mtimeMs ?? 0,
    promptCount: thread?.promptCount ?? 0,
    messageCount: thread?.messageCount ?? asList(entries).length,
    hasChanges: thread?.hasChanges ?? false,
    isArchived: thread?.isArchived ?? false,
    state: 'idle',
    relations: thread?.relations ?? [],
  };
}
