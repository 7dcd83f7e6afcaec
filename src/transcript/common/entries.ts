import * as z from 'zod/mini';

/**
 * The view model of a conversation: what there is to look at, in reading order, whoever it was with and whether it still goes
 * on. Hosts make it (the chat from events, the thread browser from files); pages show it and know nothing else. What is
 * long has been cut to size here; `omitted` counts the UTF-16 units that are not included, and the page can ask for them.
 */

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

/** A changed line or one around it; `text` is without its line ending. */
export const DiffLine = z.object({ kind: z.enum(['context', 'add', 'remove']), text: Text });
export type DiffLine = z.infer<typeof DiffLine>;

/** Starts are 1-based. */
export const DiffHunk = z.object({ oldStart: Count, newStart: Count, lines: z.array(DiffLine) });
export type DiffHunk = z.infer<typeof DiffHunk>;

/** What a call shows of itself. */
export const Part = z.discriminatedUnion('type', [
  /** Markdown, unless `plain`. */
  z.object({ type: z.literal('text'), text: Text, plain: optional(z.boolean()), omitted: optional(Count) }),
  /** `added` and `removed` count lines of the whole change, also those that are not in the hunks. */
  z.object({
    type: z.literal('diff'),
    path: Text,
    change: z.enum(['created', 'modified', 'deleted']),
    added: Count,
    removed: Count,
    hunks: z.array(DiffHunk),
    omitted: optional(Count),
  }),
  /** Output of a command with its ANSI sequences. `exitCode` is there once it has ended; null when a signal ended it. */
  z.object({
    type: z.literal('terminal'),
    command: optional(Text),
    output: Text,
    exitCode: optional(z.nullable(z.number())),
    signal: optional(Text),
    omitted: optional(Count),
  }),
  /** A piece of a file; `firstLine` is 1-based. */
  z.object({
    type: z.literal('file'),
    path: Text,
    text: Text,
    firstLine: optional(Count),
    omitted: optional(Count),
  }),
  /** Base64 data. */
  z.object({ type: z.literal('image'), mimeType: Text, data: Text, title: optional(Text) }),
  z.object({ type: z.literal('link'), uri: Text, title: optional(Text) }),
  /** Names of files, matches of a search. */
  z.object({ type: z.literal('list'), items: z.array(Text), omitted: optional(Count) }),
  /** Something no other part can show. */
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

/** What came with a prompt. `line` is 1-based. */
export const Attachment = z.object({
  kind: z.enum(['file', 'folder', 'selection', 'problems', 'editors', 'git', 'context', 'image', 'text']),
  title: Text,
  path: optional(Text),
  line: optional(Count),
  /** Of an image; `data` is base64. */
  image: optional(z.object({ mimeType: Text, data: Text })),
  /** It could not be sent: its file was gone, or there was nothing to send. */
  notSent: optional(z.boolean()),
});
export type Attachment = z.infer<typeof Attachment>;

/** A place; `line` is 1-based. */
export const Location = z.object({ path: Text, line: optional(Count) });
export type Location = z.infer<typeof Location>;

export const Usage = z.object({
  input: optional(Count),
  output: optional(Count),
  cacheRead: optional(Count),
  cacheWrite: optional(Count),
  /** In `currency`, an ISO 4217 code or the backend's own unit, for example `credits`. */
  cost: optional(z.object({ amount: z.number(), currency: Text })),
});
export type Usage = z.infer<typeof Usage>;

export const FileChange = z.object({
  path: Text,
  change: z.enum(['created', 'modified', 'deleted']),
  added: Count,
  removed: Count,
  /** `changedSince`: the file is no longer as the turn left it. `unknown`: it was not seen before the change. */
  state: z.enum(['applied', 'reverted', 'changedSince', 'unknown']),
});
export type FileChange = z.infer<typeof FileChange>;

const base = {
  /** Unique within its transcript, and stable while it grows. */
  id: Text,
  /** How many prompts came before it; entries of one turn share it. 0 is what came before the first prompt. */
  turn: Count,
  /** Milliseconds since the epoch. */
  at: optional(z.number()),
  /** The id of the call this belongs to: what a subagent said and did. */
  parent: optional(Text),
  /** Of its own texts, not of its parts. */
  omitted: optional(Count),
};

export const ToolState = z.enum([
  'pending',
  /** A question about it is open. */
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  /** The user said no. */
  'rejected',
  /** Nobody answered the question about it in time. */
  'timedOut',
  /** It never ended, and whoever ran it is gone. */
  'stale',
]);
export type ToolState = z.infer<typeof ToolState>;

export const Entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), ...base, text: Text, attachments: optional(z.array(Attachment)) }),
  /** Markdown. */
  z.object({ kind: z.literal('answer'), ...base, text: Text, streaming: optional(z.boolean()) }),
  z.object({
    kind: z.literal('thinking'),
    ...base,
    text: Text,
    streaming: optional(z.boolean()),
    durationMs: optional(z.number()),
  }),
  z.object({
    kind: z.literal('tool'),
    ...base,
    name: Text,
    /** One line; `name` when the call has none. */
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
    /** JSON, indented. */
    input: optional(Text),
    locations: optional(z.array(Location)),
    parts: z.array(Part),
    error: optional(Text),
    startedAt: optional(z.number()),
    durationMs: optional(z.number()),
    /** How the question about it ended: the option that was chosen, or why there was none. */
    decision: optional(Text),
    /** The id of another thread that has what the subagent said and did. */
    subthread: optional(Text),
  }),
  z.object({ kind: z.literal('todos'), ...base, items: z.array(TodoItem) }),
  z.object({
    kind: z.literal('notice'),
    ...base,
    level: z.enum(['info', 'warning', 'error']),
    text: Text,
    /** To be shown on demand and copied. */
    details: optional(Text),
    /** The file it is about, absolute; its change can be opened. */
    path: optional(Text),
  }),
  /** What earlier messages were replaced by, for the model. Markdown. */
  z.object({ kind: z.literal('summary'), ...base, text: Text }),
  z.object({ kind: z.literal('media'), ...base, part: Part }),
  /** The end of a turn. `completed` without usage or changes need not be shown. */
  z.object({
    kind: z.literal('end'),
    ...base,
    outcome: z.enum(['completed', 'cancelled', 'interrupted', 'failed', 'refused', 'limit']),
    /** What happened and what to do; for all but `completed` and `cancelled`, which say it all. */
    text: optional(Text),
    details: optional(Text),
    usage: optional(Usage),
    durationMs: optional(z.number()),
    changes: optional(z.array(FileChange)),
  }),
  /** What nothing else fits: shown as JSON, never dropped. */
  z.object({ kind: z.literal('raw'), ...base, label: Text, json: Text }),
]);
export type Entry = z.infer<typeof Entry>;
type EntryKind = Entry['kind'];
export type EntryOf<Kind extends EntryKind> = Extract<Entry, { kind: Kind }>;
/** The entries whose text grows as it comes. */
export type TextEntry = EntryOf<'answer' | 'thinking'>;
