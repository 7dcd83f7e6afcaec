import * as z from 'zod/mini';

/**
 * The view model of a conversation: its entries in reading order. Hosts create it from events (chat) or files
 * (threads), and pages only show it. Long texts are truncated here. `omitted` is the number of missing UTF-16 units,
 * which the page can request.
 */

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

/** An added, removed or context line; `text` has no line ending. */
export const DiffLine = z.object({
  kind: z.enum(['context', 'add', 'remove']),
  text: Text,
  /** Ranges of `text` that differ from the line that it replaces, or that replaces it, in UTF-16 units. */
  marks: optional(z.array(z.tuple([Count, Count]))),
});
export type DiffLine = z.infer<typeof DiffLine>;

/** A group of changed lines with their context. Both starts are 1-based. */
export const DiffHunk = z.object({ oldStart: Count, newStart: Count, lines: z.array(DiffLine) });
export type DiffHunk = z.infer<typeof DiffHunk>;

export const Part = z.discriminatedUnion('type', [
  /**
   * A text, which is Markdown unless `plain` is set. `role`: in the call of a subagent, its task, a later message to it, facts
   * about it on one line, or its report.
   */
  z.object({
    type: z.literal('text'),
    text: Text,
    plain: optional(z.boolean()),
    role: optional(z.enum(['task', 'message', 'about', 'report'])),
    omitted: optional(Count),
  }),
  /** A diff. `added` and `removed` count the lines of the whole change, including lines that are not in the hunks. */
  z.object({
    type: z.literal('diff'),
    path: Text,
    change: z.enum(['created', 'modified', 'deleted']),
    added: Count,
    removed: Count,
    hunks: z.array(DiffHunk),
    /** Whether only white space has changed. */
    isSpaceOnly: optional(z.boolean()),
    omitted: optional(Count),
  }),
  /** Command output with ANSI sequences. `exitCode`: set when the command has ended; null if a signal ended it. */
  z.object({
    type: z.literal('terminal'),
    command: optional(Text),
    output: Text,
    exitCode: optional(z.nullable(z.number())),
    signal: optional(Text),
    omitted: optional(Count),
  }),
  /** A part of a file. `firstLine` is 1-based. */
  z.object({
    type: z.literal('file'),
    path: Text,
    text: Text,
    firstLine: optional(Count),
    omitted: optional(Count),
  }),
  /** An image as base64 data. */
  z.object({ type: z.literal('image'), mimeType: Text, data: Text, title: optional(Text) }),
  z.object({ type: z.literal('link'), uri: Text, title: optional(Text) }),
  z.object({ type: z.literal('list'), items: z.array(Text), omitted: optional(Count) }),
  z.object({ type: z.literal('json'), json: Text, omitted: optional(Count) }),
]);
export type Part = z.infer<typeof Part>;
export type DiffPart = Extract<Part, { type: 'diff' }>;

export const TodoItem = z.object({
  text: Text,
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  priority: optional(z.enum(['high', 'medium', 'low'])),
});
export type TodoItem = z.infer<typeof TodoItem>;

/** An attachment of a prompt. `line` is 1-based. */
export const Attachment = z.object({
  kind: z.enum(['file', 'folder', 'selection', 'problems', 'editors', 'git', 'context', 'image', 'text', 'comments']),
  title: Text,
  path: optional(Text),
  line: optional(Count),
  image: optional(z.object({ mimeType: Text, data: Text })),
  /** Whether the attachment was not sent, because its file was missing or its content was empty. */
  notSent: optional(z.boolean()),
});
export type Attachment = z.infer<typeof Attachment>;

/** An attachment that was sent. `text`: what was sent, if it can be read nowhere else. */
export const SentAttachment = z.object({ ...Attachment.shape, text: optional(Text) });
export type SentAttachment = z.infer<typeof SentAttachment>;

/** A location in a file; `line` is 1-based. */
export const Location = z.object({ path: Text, line: optional(Count) });
export type Location = z.infer<typeof Location>;

export const Usage = z.object({
  input: optional(Count),
  output: optional(Count),
  cacheRead: optional(Count),
  cacheWrite: optional(Count),
  /** Cost of the turn. `currency` is an ISO 4217 code or a unit of the backend, for example `credits`. */
  cost: optional(z.object({ amount: z.number(), currency: Text })),
});
export type Usage = z.infer<typeof Usage>;

/** Why a text diff does not show the change. `bytes`: line endings, byte order mark or encoding have changed. */
export const NoTextDiffReason = z.enum(['binary', 'large', 'symlink', 'mode', 'bytes']);
export type NoTextDiffReason = z.infer<typeof NoTextDiffReason>;

export const FileChange = z.object({
  path: Text,
  kind: optional(NoTextDiffReason),
  change: z.enum(['created', 'modified', 'deleted']),
  added: Count,
  removed: Count,
  /** The former path of a renamed file. */
  renamedFrom: optional(Text),
  /** `command`: the file was changed while a command ran, by it or by somebody else. Absent for the agent. */
  author: optional(z.literal('command')),
  /** `changedSince`: the file was changed after the turn. `unknown`: the content before the change is unknown. */
  state: z.enum(['applied', 'reverted', 'changedSince', 'unknown']),
});
export type FileChange = z.infer<typeof FileChange>;

export const ChangeTotals = z.object({ files: Count, added: Count, removed: Count });
export type ChangeTotals = z.infer<typeof ChangeTotals>;

const entryBase = {
  /** Unique within its transcript. Stays the same while the transcript grows. */
  id: Text,
  /** The number of the prompt that started the turn; 0 before the first prompt. */
  turn: Count,
  /** Time of the entry, in milliseconds since the epoch. */
  at: optional(z.number()),
  /** Id of the tool call whose subagent created this entry. */
  parent: optional(Text),
  /** Number of UTF-16 units omitted from the entry's own texts, without those of its parts. */
  omitted: optional(Count),
};

export interface EntryBase {
  readonly id: string;
  readonly turn: number;
  readonly at?: number;
  readonly parent?: string;
}

export const ToolState = z.enum([
  'pending',
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  'rejected',
  'timedOut',
  /** The call did not finish, and its agent is no longer running. */
  'stale',
]);
export type ToolState = z.infer<typeof ToolState>;

/** Why a turn did not end as it should, for the steps that are offered. */
export const Failure = z.object({
  kind: z.enum([
    'overloaded',
    'rateLimit',
    'usageLimit',
    'contextFull',
    'signIn',
    'network',
    'crash',
    'service',
    'other',
    'refused',
    /** The turn was interrupted, or ended at a limit. */
    'cutOff',
    'noAnswer',
  ]),
  /** When a limit ends, in milliseconds since the epoch. */
  resetsAt: optional(z.number()),
  /** Whether the prompt of the turn can be sent again. */
  canRetry: optional(z.boolean()),
  /** Whether this conversation is a fork that begins after the turn. Then only the answer can be continued. */
  isPast: optional(z.boolean()),
});
export type Failure = z.infer<typeof Failure>;

export const Entry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('prompt'),
    ...entryBase,
    text: Text,
    attachments: optional(z.array(SentAttachment)),
    /** Whether it is the prompt of the turn before, sent again. Its text is not repeated. */
    isRetry: optional(z.boolean()),
    /** Whether it has joined a turn that was running. Then it has the number of that turn. */
    isSteered: optional(z.boolean()),
  }),
  z.object({ kind: z.literal('answer'), ...entryBase, text: Text, streaming: optional(z.boolean()) }),
  z.object({
    kind: z.literal('thinking'),
    ...entryBase,
    text: Text,
    streaming: optional(z.boolean()),
    durationMs: optional(z.number()),
  }),
  z.object({
    kind: z.literal('tool'),
    ...entryBase,
    name: Text,
    /** Title on one line. If the call has no title, the name of the tool. */
    title: Text,
    toolKind: z.enum([
      'read',
      'edit',
      'delete',
      'move',
      'search',
      'execute',
      'think',
      'fetch',
      'switch_mode',
      'agent',
      'other',
    ]),
    state: ToolState,
    /** The input as indented JSON. */
    input: optional(Text),
    locations: optional(z.array(Location)),
    parts: z.array(Part),
    error: optional(Text),
    startedAt: optional(z.number()),
    durationMs: optional(z.number()),
    /** Whether the user can stop the call now, or deny what it waits for. */
    canStop: optional(z.boolean()),
    /** The chosen answer to its approval, or why there is no answer. */
    decision: optional(Text),
    /** Id of the thread that contains the subagent's transcript. */
    subthread: optional(Text),
  }),
  z.object({ kind: z.literal('todos'), ...entryBase, items: z.array(TodoItem) }),
  z.object({
    kind: z.literal('notice'),
    ...entryBase,
    level: z.enum(['info', 'warning', 'error']),
    text: Text,
    details: optional(Text),
    /** Absolute path of the file to which the entry refers. The user can open the change of this file. */
    path: optional(Text),
    /** Id of a restore of files that the entry reports. The user can undo the restore. */
    restoreId: optional(Text),
  }),
  /** A summary in Markdown that has replaced earlier messages in the model's context. */
  z.object({ kind: z.literal('summary'), ...entryBase, text: Text }),
  z.object({ kind: z.literal('media'), ...entryBase, part: Part }),
  /** The end of a turn. If all went well, it is shown only if there are usage data or changes. */
  z.object({
    kind: z.literal('end'),
    ...entryBase,
    outcome: z.enum(['completed', 'cancelled', 'interrupted', 'failed', 'refused', 'limit']),
    /** What happened and what to do. Not set if all went well, or if the user has stopped the turn. */
    text: optional(Text),
    /** The error as it was reported. */
    details: optional(Text),
    failure: optional(Failure),
    usage: optional(Usage),
    durationMs: optional(z.number()),
    changes: optional(z.array(FileChange)),
    /** Totals of all changes, if `changes` does not contain all of them. */
    changeTotals: optional(ChangeTotals),
  }),
  /** Content of an unknown kind, shown as JSON. */
  z.object({ kind: z.literal('raw'), ...entryBase, label: Text, json: Text }),
]);
export type Entry = z.infer<typeof Entry>;
type EntryKind = Entry['kind'];
export type EntryOf<Kind extends EntryKind> = Extract<Entry, { kind: Kind }>;
export type StreamedTextEntry = EntryOf<'answer' | 'thinking'>;
