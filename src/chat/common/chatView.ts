import * as z from 'zod/mini';
import { Attachment, FileChange, Part, Usage } from '../../transcript/common/entries';

/** What the page of the chat shows beside the transcript. Everything here is small and replaced as a whole. */

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

/** A backend of the picker. */
export const BackendView = z.object({
  id: Text,
  title: Text,
  /** One line, for example its command. */
  description: Text,
  source: z.enum(['configured', 'found', 'demo', 'server']),
  state: z.enum(['stopped', 'starting', 'ready', 'authRequired', 'failed', 'unavailable']),
  /** What is wrong and what to do. */
  problem: optional(Text),
  /** The workspace brings it, and the user has not allowed it. */
  needsPermission: optional(z.boolean()),
  /** A command line that would install it. */
  install: optional(Text),
  /** What the user's settings want new conversations to begin with, by option. */
  defaults: optional(z.record(Text, z.union([Text, z.boolean()]))),
  /** It cannot list the conversations it keeps. */
  cannotList: optional(z.boolean()),
  /** Whether one that runs without us answers, as far as that is known. */
  health: optional(z.object({ kind: z.enum(['asking', 'answers', 'silent', 'needsToken']), version: optional(Text) })),
});
export type BackendView = z.infer<typeof BackendView>;

/** Of the list of conversations. */
export const SessionRow = z.object({
  id: Text,
  title: Text,
  backendTitle: Text,
  /** Milliseconds since the epoch. */
  updatedAt: z.number(),
  /** `waiting`: a question is open. `unread`: it ended while another conversation was shown. */
  state: z.enum(['idle', 'busy', 'waiting', 'unread', 'failed']),
  /** Where a search found something. */
  snippet: optional(Text),
  /** It is the agent's own and not here yet: opening it loads it. */
  remote: optional(z.boolean()),
});
export type SessionRow = z.infer<typeof SessionRow>;

/** One of the answers of a question. `label` is sent back byte for byte. */
export const ApprovalOption = z.object({
  label: Text,
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other']),
  /** For one that lasts: what it will be the answer to, in a few words. */
  scope: optional(Text),
  /** The name says something else than the option does. */
  isMisnamed: optional(z.boolean()),
});
export type ApprovalOption = z.infer<typeof ApprovalOption>;

const NamedText = z.object({ name: Text, value: Text });
export type NamedText = z.infer<typeof NamedText>;

export const ApprovalView = z.object({
  id: Text,
  /** What is asked, as the server says it. */
  prompt: Text,
  /** Who asks, and in which mode it works. */
  asks: Text,
  mode: optional(Text),
  /** What would happen: a command, a diff, the input of a tool. Never shortened when it is a command. */
  parts: z.array(Part),
  /** Why this is asked whatever the rules say, a sentence each. */
  warnings: optional(z.array(Text)),
  /** What lifts a restriction. */
  escalations: optional(z.array(NamedText)),
  /** What is added to the environment; `effect` is what a variable does to the command, in words behind its name. */
  env: optional(z.array(z.object({ ...NamedText.shape, effect: optional(Text) }))),
  /** Absolute: where it would happen, when that is not the conversation's folder. */
  cwd: optional(Text),
  /** Everything else that came with the question; values that are no text are JSON. */
  more: optional(z.array(NamedText)),
  /** Nothing that came says what would happen. */
  isUndescribed: optional(z.boolean()),
  options: z.array(ApprovalOption),
  /** Milliseconds until it is denied: a page does not have the host's clock. */
  expiresInMs: optional(z.number()),
  /** `answering`: the answer is on its way. */
  state: z.enum(['pending', 'answering']),
  /** The entry of the transcript that waits. */
  entryId: optional(Text),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** What goes with a prompt. `id` is the host's name for it; an image has its data instead. */
export const DraftAttachment = z.object({ ...Attachment.shape, id: Text, tokens: optional(Count) });
export type DraftAttachment = z.infer<typeof DraftAttachment>;

export const Draft = z.object({ text: Text, attachments: z.array(DraftAttachment) });
export type Draft = z.infer<typeof Draft>;

export const QueuedPrompt = z.object({ id: Text, ...Draft.shape });
export type QueuedPrompt = z.infer<typeof QueuedPrompt>;

/** What the agent does without asking the user: it edits files, or runs commands, too. */
export const Unattended = z.enum(['edits', 'runs']);
export type Unattended = z.infer<typeof Unattended>;

/** A setting of the agent: its mode, its model and others. */
export const OptionView = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('select'),
    id: Text,
    name: Text,
    description: optional(Text),
    category: optional(Text),
    value: Text,
    choices: z.array(
      z.object({
        value: Text,
        name: Text,
        description: optional(Text),
        group: optional(Text),
        unattended: optional(Unattended),
      }),
    ),
    /** The value may also be one that is not among the choices. */
    custom: optional(z.boolean()),
    /** Why the value cannot be used, and what to do. */
    problem: optional(Text),
  }),
  z.object({
    type: z.literal('boolean'),
    id: Text,
    name: Text,
    description: optional(Text),
    category: optional(Text),
    value: z.boolean(),
    /** While it is on. */
    unattended: optional(Unattended),
  }),
]);
export type OptionView = z.infer<typeof OptionView>;

export const CommandView = z.object({ name: Text, description: Text, hint: optional(Text) });
export type CommandView = z.infer<typeof CommandView>;

/** What goes to the backend by itself, when it is on. */
export const ContextChipView = z.object({ kind: Text, label: Text, isOn: z.boolean(), tokens: optional(Count) });
export type ContextChipView = z.infer<typeof ContextChipView>;

export const SessionView = z.object({
  id: Text,
  title: Text,
  backendId: Text,
  backendTitle: Text,
  status: z.enum([
    'idle',
    /** The backend or its session is being started. */
    'starting',
    'busy',
    'stopping',
    /** The connection is lost and being made again; what was said stays. */
    'reconnecting',
    /** Another window writes this conversation, or a newer version has. */
    'readonly',
    'signIn',
    'failed',
  ]),
  /** What goes on, or what went wrong and what to do. */
  statusText: optional(Text),
  /** Another window writes it now; here it is followed. */
  isInUse: optional(z.boolean()),
  statusDetails: optional(Text),
  /** Why what is said is not kept on disk, whatever the status. */
  problem: optional(Text),
  /** A turn runs. */
  isBusy: optional(z.boolean()),
  approvals: z.array(ApprovalView),
  queue: z.array(QueuedPrompt),
  options: z.array(OptionView),
  commands: z.array(CommandView),
  takesImages: z.boolean(),
  /** Of the context window, in tokens. */
  context: optional(z.object({ used: Count, size: Count })),
  usage: optional(Usage),
  /** Files touched since the conversation began, those that still differ from before. */
  changes: z.array(FileChange),
});
export type SessionView = z.infer<typeof SessionView>;

/** One row of the list that opens at `@`. */
export const MentionRow = z.object({ ...DraftAttachment.shape, detail: optional(Text) });
export type MentionRow = z.infer<typeof MentionRow>;
