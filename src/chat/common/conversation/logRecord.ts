import * as z from 'zod';
import { SessionEvent } from '../../../session/common/sessionEvents';
import { FileChange } from '../../../transcript/common/entries';
import { DraftAttachment } from '../chatView';

/** Of the log and the head; what a later version writes is read as far as it is understood. */
export const logVersion = 2;
/** From this one on, the events of a log are in the normal form of a session. */
export const normalLogVersion = 2;

const Text = z.string();
/** Milliseconds since the epoch. */
const at = z.number();
const record = <Name extends string, Shape extends z.core.$ZodLooseShape>(type: Name, shape: Shape) =>
  z.object({ type: z.literal(type), at, ...shape });

const turnTexts = {
  before: Text.nullable().optional(),
  after: Text.nullable().optional(),
  isMixed: z.boolean().optional(),
};

/**
 * What happens in a conversation, in order: a line each of its log. The transcript is made of nothing else, so that a
 * conversation that is read again looks as it did.
 */
export const LogRecord = z.discriminatedUnion('type', [
  record('begin', { version: z.number(), id: Text, backendId: Text }),
  /** From now on it is this session of the backend. */
  record('bound', { remoteId: Text }),
  record('prompt', { id: Text, text: Text, attachments: z.array(DraftAttachment) }),
  /** Of a prompt: the ids of those of its attachments that could not be sent. */
  record('notSent', { id: Text, attachments: z.array(Text) }),
  /** It waits for the end of a turn, until it is the prompt of one or is taken back. */
  record('queued', {
    id: Text,
    text: Text,
    attachments: z.array(DraftAttachment),
    /** Before those that wait already. */
    isNext: z.boolean().optional(),
  }),
  record('unqueued', { id: Text }),
  /** The backend did not take the prompt: it was never said. */
  record('withdrawn', { id: Text }),
  record('event', { event: SessionEvent }),
  /** `path` is the file it is about, absolute. */
  record('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: Text,
    details: Text.optional(),
    path: Text.optional(),
  }),
  /** By the user. `inBackend`: the backend has still to say that the turn has ended. */
  record('stopped', { inBackend: z.boolean() }),
  /** The backend never took the prompt whose turn was stopped. */
  record('settled', {}),
  /** The turn has ended without a word of the backend. */
  record('ended', { outcome: z.enum(['interrupted', 'failed']), text: Text, details: Text.optional() }),
  /** The turn that was told as ended goes on. */
  record('resumed', {}),
  /** The workspace folders as the prompt of the turn found them: ids of checkpoints. None: the changes of the turn are recorded. */
  record('checkpoint', { turn: z.number(), folders: z.array(z.object({ folder: Text, id: Text })) }),
  /** How a file was before the conversation touched it: the id of its text, null for none. Absent: that is not known. */
  record('snapshot', { path: Text, text: Text.nullable().optional() }),
  /**
   * By the agent. `after` is the id of the text that it has left, null for none. `base`: the text that it found, when that is
   * not the one that it left before; `isDoubtful`: others may have written at the same time. `before`: the text of its snapshot
   * with what others edited since. `isMixed`: others edited the same lines.
   */
  record('written', {
    path: Text,
    base: Text.nullable().optional(),
    isDoubtful: z.boolean().optional(),
    before: Text.nullable().optional(),
    after: Text.nullable().optional(),
    isMixed: z.boolean().optional(),
  }),
  /** Some changes of the file were kept: from now on it has changed from `before` to `after`. */
  record('rebased', { path: Text, before: Text.nullable().optional(), after: Text.nullable().optional() }),
  /** What a turn has changed in all, and each file's text before and after it, as in `snapshot` and `written`. */
  record('changed', {
    turn: z.number(),
    changes: z.array(FileChange),
    texts: z.array(z.object({ path: Text, ...turnTexts })).optional(),
  }),
  /** Of one file, while what other turns have changed in it stays: `before` and `after` are what remains of all. */
  record('turnReverted', {
    turn: z.number(),
    path: Text,
    before: Text.nullable().optional(),
    after: Text.nullable().optional(),
  }),
  record('fileDecided', { path: Text, decision: z.enum(['reverted', 'kept']) }),
]);
export type LogRecord = z.infer<typeof LogRecord>;
export type RecordOf<Type extends LogRecord['type']> = Extract<LogRecord, { type: Type }>;

/** A record without its time. */
export type NewRecord = LogRecord extends infer One ? (One extends LogRecord ? Omit<One, 'at'> : never) : never;

/** One record for two that follow each other, when both are pieces of one text; undefined when they are not. */
export function mergedDeltas(first: LogRecord, second: LogRecord): LogRecord | undefined {
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
