import * as z from 'zod';
import { SessionEvent } from '../../../session/common/sessionEvents';
import { NoTextDiffReason, FileChange } from '../../../transcript/common/entries';
import { TurnOrigin } from '../authorship/turnOrigin';
import { DraftAttachment, PresetOfConversation } from '../chatView';

/**
 * Version of the log and the head. Newer versions are read as far as possible, but not continued. Since version 3, an update
 * of a call contains only what was added (`grown`).
 */
export const logVersion = 3;
/** First version whose events are normalized. */
export const normalizedLogVersion = 2;

const Text = z.string();
/** Time of the record, in milliseconds since the epoch. */
const at = z.number();
const record = <Name extends string, Shape extends z.core.$ZodLooseShape>(type: Name, shape: Shape) =>
  z.object({ type: z.literal(type), at, ...shape });

/** Stands for a preset that cannot be read: what an agent may do never becomes more by damage. */
export const unreadablePreset: PresetOfConversation = {
  name: 'Unreadable Preset',
  limits: { read: 'ask', edit: 'deny', run: 'deny', fetch: 'deny' },
};
export const StoredPreset = z.optional(PresetOfConversation).catch(unreadablePreset);

const changedTexts = { before: Text.nullable().optional(), after: Text.nullable().optional() };
const turnTexts = { ...changedTexts, isMixed: z.boolean().optional() };
const checkpoints = z.array(z.object({ folder: Text, id: Text }));

/** The remaining change of a file. Without `change`, no change remains. */
const RemainingChange = z.object({
  path: Text,
  change: z.object({ ...turnTexts, afterUndo: z.array(z.object(changedTexts)).optional() }).optional(),
});
export type RemainingChange = z.infer<typeof RemainingChange>;

const FileState = z.object({
  kind: z.enum(['file', 'executable', 'symlink']),
  object: z.string().regex(/^[0-9a-f]{40,64}$/),
  bytes: z.number(),
});

/** One line of a conversation's log. The transcript is built only from these records, so that it can be reproduced. */
export const LogRecord = z.discriminatedUnion('type', [
  /** `backendTitle`: of the agent at the beginning, if the conversation continues one with another agent. */
  record('begin', {
    version: z.number(),
    id: Text,
    backendId: Text,
    backendTitle: Text.optional(),
    preset: StoredPreset,
  }),
  /** The conversation continues in this session of the backend. */
  record('bound', { remoteId: Text }),
  /** `isRetry`: the prompt of the turn before, whose turn has failed, is sent again. */
  record('prompt', { id: Text, text: Text, attachments: z.array(DraftAttachment), isRetry: z.boolean().optional() }),
  /** Ids of attachments of the prompt `id` that could not be sent. */
  record('notSent', { id: Text, attachments: z.array(Text) }),
  /** These instructions were sent with the prompt `id`. */
  record('instructed', { id: Text, text: Text }),
  /** A prompt that waits for the end of the turn, until a `prompt` or `unqueued` record has the same id. */
  record('queued', {
    id: Text,
    text: Text,
    attachments: z.array(DraftAttachment),
    /** Whether the prompt comes before the other queued prompts. */
    isNext: z.boolean().optional(),
    isRetry: z.boolean().optional(),
  }),
  record('unqueued', { id: Text }),
  /**
   * A queued prompt is to join the turn that runs (`wanted`): it comes before those that are not. The agent was asked to take it
   * (`asked`), has not taken it (`released`), or perhaps has (`unknown`); then it is not sent by itself.
   */
  record('steering', { id: Text, state: z.enum(['wanted', 'asked', 'released', 'unknown']) }),
  /** The agent has taken the prompt into the turn. It is no longer in the queue. `isRead`: the agent has said that it has read it. */
  record('steered', { id: Text, text: Text, attachments: z.array(DraftAttachment), isRead: z.boolean().optional() }),
  /** The backend did not accept the prompt. */
  record('withdrawn', { id: Text }),
  record('event', { event: SessionEvent }),
  /** A notice in the transcript. `path` is the absolute path of a file to which it refers. */
  record('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: Text,
    details: Text.optional(),
    path: Text.optional(),
  }),
  /** The user stopped the turn. `inBackend`: the backend has not reported its end yet. */
  record('stopped', { inBackend: z.boolean() }),
  /** The backend did not accept the prompt of the stopped turn. */
  record('settled', {}),
  /** The turn ended without an event from the backend. */
  record('ended', { outcome: z.enum(['interrupted', 'failed']), text: Text, details: Text.optional() }),
  /** The turn continues, although an earlier record has ended it. */
  record('resumed', {}),
  /**
   * Checkpoints of the workspace folders before the turn. Empty: the changes of the turn are recorded. `prompt`: those of the
   * prompt with this id, which has joined the turn. The changes of the turn still begin at the first ones.
   */
  record('checkpoint', { turn: z.number(), prompt: Text.optional(), folders: checkpoints }),
  /**
   * The turn changed not only the text of a file. `before` is its state in the checkpoint before the turn, `after` its
   * last observed state; absent if the file did not exist. `isMixed`: others may have changed the file, too.
   */
  record('stateChanged', {
    turn: z.number(),
    path: Text,
    folder: Text,
    checkpoint: Text,
    kind: z.optional(NoTextDiffReason),
    renamedFrom: Text.optional(),
    before: FileState.optional(),
    after: FileState.optional(),
    isMixed: z.boolean().optional(),
  }),
  /** A file before its first change. `text`: id of its text, null if the file did not exist, absent if unknown. */
  record('snapshot', { path: Text, text: Text.nullable().optional() }),
  /**
   * The agent wrote a file. `after` is the id of the new text, null if the file was deleted. `base`: the text before
   * the write, if it differs from the text after the agent's previous write. `isDoubtful`: others may have written at
   * the same time. `before`: the snapshot with later edits of others. `isMixed`: others have changed the same lines.
   * `callId`: the call that wrote it, if known.
   */
  record('written', {
    path: Text,
    callId: Text.optional(),
    base: Text.nullable().optional(),
    isDoubtful: z.boolean().optional(),
    before: Text.nullable().optional(),
    after: Text.nullable().optional(),
    isMixed: z.boolean().optional(),
  }),
  /** The file was changed while a command ran, by it or by somebody else. */
  record('attributed', { path: Text, author: z.literal('command') }),
  /** More files that were changed while a command ran, by it or by somebody else. They are too many to be listed. */
  record('unlisted', { turn: z.number(), paths: z.array(Text) }),
  /** Some changes of the file were kept. The remaining change is from `before` to `after`. */
  record('rebased', { path: Text, before: Text.nullable().optional(), after: Text.nullable().optional() }),
  /**
   * A hunk of the file was undone in an editor. The remaining change is from `before` to `after`. `found`, also in the next
   * records: the text before the undo.
   */
  record('hunkUndone', {
    path: Text,
    found: Text.nullable().optional(),
    before: Text.nullable().optional(),
    after: Text.nullable().optional(),
  }),
  /**
   * All changes of a turn, with the ids of each file's texts before and after, as in `snapshot` and `written`, and with what is
   * known of how they were made.
   */
  record('changed', {
    turn: z.number(),
    ...TurnOrigin.shape,
    changes: z.array(FileChange),
    texts: z.array(z.object({ path: Text, ...turnTexts })).optional(),
  }),
  /** A turn's changes to one file were reverted. The conversation's remaining change is from `before` to `after`. */
  record('turnReverted', {
    turn: z.number(),
    path: Text,
    found: Text.nullable().optional(),
    before: Text.nullable().optional(),
    after: Text.nullable().optional(),
  }),
  /** `left`: the text after the changes were reverted. */
  record('fileDecided', {
    path: Text,
    decision: z.enum(['reverted', 'kept']),
    found: Text.nullable().optional(),
    left: Text.nullable().optional(),
  }),
  /** The remaining changes of these files are replaced with the given ones. */
  record('changesReplaced', { files: z.array(RemainingChange) }),
  /**
   * The records before this one were copied from the conversation `from`. The next prompt starts a new session, with the agent
   * `backendTitle` if it is another one. `aside`: the title of the conversation about which this is a side question.
   */
  record('forked', { from: Text, backendTitle: Text.optional(), aside: Text.optional() }),
  /** Files were restored to their state before the prompt of a turn. */
  record('restored', {
    id: Text,
    turn: z.number(),
    /** Whether the prompt has joined the turn. */
    isInTurn: z.boolean().optional(),
    /** Checkpoints to which the files were restored. `undo` are the checkpoints that were taken immediately before. */
    target: checkpoints,
    undo: checkpoints,
    paths: z.array(Text),
    skipped: z.array(z.object({ path: Text, reason: Text })),
    /** Set if the user has undone changes of a turn or of the conversation, instead of restoring a moment. */
    undid: z.enum(['turn', 'conversation']).optional(),
    /** With `undid`: id of a restore that was undone. The files are those that were changed after it. */
    undoneRestore: Text.optional(),
    /** The texts before. Null if the file did not exist. `isUnsaved`: the checkpoints `undo` have another text. */
    texts: z.array(z.object({ path: Text, text: Text.nullable(), isUnsaved: z.boolean().optional() })).optional(),
    /** The changes that remain again after the restore is undone. */
    previous: z.array(RemainingChange),
    /** Id of the original conversation, if this one is a fork of it at the prompt. */
    origin: Text.optional(),
    /** Id of the fork that continues this conversation from before the prompt. */
    fork: Text.optional(),
  }),
  /**
   * The undo of changes with this id has ended, in these files. `target`: the checkpoints after it, and `texts` those that it has left. Both are empty if it was interrupted.
   */
  record('undoDone', {
    id: Text,
    target: checkpoints,
    paths: z.array(Text),
    texts: z.array(z.object({ path: Text, text: Text.nullable() })),
  }),
  record('restoreUndone', { id: Text }),
  /** Folders were moved: all records before this one contain the paths of before. */
  record('relocated', { moves: z.array(z.object({ from: Text, to: Text })) }),
]);
export type LogRecord = z.infer<typeof LogRecord>;
export type RecordOf<Type extends LogRecord['type']> = Extract<LogRecord, { type: Type }>;

/** Whether the record is a prompt that was sent or queued, or has joined a turn. */
export function isPrompt(record: LogRecord): record is RecordOf<'prompt' | 'queued' | 'steered'> {
  return record.type === 'prompt' || record.type === 'queued' || record.type === 'steered';
}

/** Whether the record is only about the queue. */
export function isOfQueue({ type }: LogRecord): boolean {
  return type === 'queued' || type === 'unqueued' || type === 'steering';
}

/** A record without its timestamp. */
export type NewRecord = LogRecord extends infer One ? (One extends LogRecord ? Omit<One, 'at'> : never) : never;

/** Merges two consecutive records if they are deltas of the same text. Undefined for other records. */
export function mergeDeltas(first: LogRecord, second: LogRecord): LogRecord | undefined {
  if (first.type !== 'event' || second.type !== 'event') return undefined;
  const { event: one } = first;
  const { event: other } = second;
  if (one.event === 'thinking:delta' && other.event === 'thinking:delta') {
    return { ...first, event: { ...one, data: { ...one.data, delta: one.data.delta + other.data.delta } } };
  }
  if (one.event !== 'content_block:delta' || other.event !== 'content_block:delta') return undefined;
  if (one.data.block_index !== other.data.block_index) return undefined;
  return { ...first, event: { ...one, data: { ...one.data, delta: one.data.delta + other.data.delta } } };
}
