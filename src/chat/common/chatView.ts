import * as z from 'zod/mini';
import type { ConfigOption, SlashCommand } from '../../session/common/sessionEvents';
import { Attachment, ChangeTotals, FileChange, Part, TodoItem, Usage } from '../../transcript/common/entries';

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

export const BackendView = z.object({
  id: Text,
  title: Text,
  /** A one-line description, for example the command. */
  description: Text,
  source: z.enum(['configured', 'installed', 'found', 'demo', 'server']),
  state: z.enum(['stopped', 'starting', 'ready', 'authRequired', 'failed', 'unavailable']),
  /** A message that explains what is wrong and what to do. */
  problem: optional(Text),
  /** Whether the workspace defines the backend and the user has not allowed it yet. */
  needsPermission: optional(z.boolean()),
  /** A command line that installs the agent. */
  install: optional(Text),
  /** Default option values for new conversations from the user settings, by option. */
  defaults: optional(z.record(Text, z.union([Text, z.boolean()]))),
  cannotList: optional(z.boolean()),
  /** Globs of the files that it reads by itself; see `BackendEntry`. */
  instructionFiles: optional(z.array(z.array(Text))),
  /** The machine where the agent runs, if it is not this one. */
  remoteHost: optional(Text),
  /** Last known health of a server, because servers run independently of Backline. */
  health: optional(z.object({ kind: z.enum(['asking', 'answers', 'silent', 'needsToken']), version: optional(Text) })),
});
export type BackendView = z.infer<typeof BackendView>;

/** Why a conversation waits for the user. */
export const ConversationNeed = z.object({
  kind: z.enum(['approval', 'signIn', 'unsavedFiles']),
  /** One line, in words. Hidden characters are shown. */
  text: Text,
  /** Since when it waits, in milliseconds since the epoch. */
  since: optional(z.number()),
  /** How many further approvals wait, of which `text` says nothing. */
  others: optional(Count),
  /** How it can be answered from a row, if `text` is the whole request. */
  answer: optional(
    z.object({
      approvalId: Text,
      /** Hash of the request; see `shownApproval`. An answer is refused if the request is another one by now. */
      shown: Text,
      /** Labels of the options that allow and reject once. */
      allow: Text,
      reject: Text,
      /** Until when a row can answer, in milliseconds since the epoch. Set if the request times out. */
      until: optional(z.number()),
    }),
  ),
});
export type ConversationNeed = z.infer<typeof ConversationNeed>;

/** What a conversation is doing at the moment, in one of few kinds. Times are in milliseconds since the epoch, by the host's clock. */
export const Activity = z.object({
  kind: z.enum([
    /** The user is asked about unsaved files before the prompt is sent. */
    'askingToSave',
    /** Before the prompt is sent, so that the files can be restored. */
    'savingCheckpoint',
    'starting',
    'connecting',
    /** The prompt was sent, or the agent works without saying at what. */
    'working',
    'thinking',
    'answering',
    'running',
    /** Approvals are pending. */
    'waiting',
    'stopping',
  ]),
  /** The title of the running tool call, or the backend's own description of what it does. */
  title: optional(Text),
  /** Whether the running call is a command. */
  isCommand: optional(z.boolean()),
  /** Number of further calls that are running, or of pending approvals. */
  count: optional(Count),
  since: optional(z.number()),
});
export type Activity = z.infer<typeof Activity>;

export const ConversationRow = z.object({
  id: Text,
  title: Text,
  backendId: Text,
  backendTitle: Text,
  /** Time of the last change, in milliseconds since the epoch. */
  updatedAt: z.number(),
  /** `waiting`: it needs the user, for example because an approval is pending. `unread`: a turn ended unseen. */
  state: z.enum(['idle', 'busy', 'waiting', 'unread', 'failed', 'interrupted']),
  /** Why it waits, if that is known. */
  need: optional(ConversationNeed),
  /** What it does, if it is busy. */
  activity: optional(Activity),
  /** When the turn began that runs, in milliseconds since the epoch. */
  turnStartedAt: optional(z.number()),
  /** The files that it has changed and that the user has neither kept nor undone, and their lines. */
  changes: optional(ChangeTotals),
  /** The branch on which it has worked last. */
  branch: optional(Text),
  /** What its turns have cost; see `Usage`. */
  cost: optional(z.object({ amount: z.number(), currency: Text })),
  /** The repository in which it works, or else its folder. Conversations of its worktrees have the same id. */
  repository: optional(z.object({ id: Text, name: Text })),
  isPinned: optional(z.boolean()),
  isArchived: optional(z.boolean()),
  /** Whether another window runs it now. */
  isInOtherWindow: optional(z.boolean()),
  /** Whether a failure was not seen yet. */
  isUnseen: optional(z.boolean()),
  snippet: optional(Text),
  /** Where the conversation belongs, if not to the workspace of this window. `folder`, `workspaceFile`: absolute paths, if known. */
  elsewhere: optional(z.object({ folder: optional(Text), workspaceFile: optional(Text), isGone: z.boolean() })),
  /** Whether only the backend stores the conversation. Opening it imports it. */
  remote: optional(z.boolean()),
  /** Id of the `ConversationSource` that has it, if Backline does not store it. */
  source: optional(Text),
});
export type ConversationRow = z.infer<typeof ConversationRow>;

/** One of the answers to an approval. `label` is sent back unchanged. */
export const ApprovalOption = z.object({
  label: Text,
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other']),
  /** A short description of what a lasting answer covers. */
  scope: optional(Text),
  /** Whether the label contradicts what the option does. */
  isMisnamed: optional(z.boolean()),
});
export type ApprovalOption = z.infer<typeof ApprovalOption>;

const NamedText = z.object({ name: Text, value: Text });
export type NamedText = z.infer<typeof NamedText>;

export const ApprovalView = z.object({
  id: Text,
  /** The request, in the backend's words. */
  prompt: Text,
  /** What the command does, in the agent's words, or what kind of script it is. */
  title: optional(Text),
  /** Title of the agent that requests approval. */
  asks: Text,
  /** Title of its subagent, if that requests approval. */
  subagent: optional(Text),
  mode: optional(Text),
  /** The actions to approve: a command, a diff or the input of a tool. Commands are never shortened. */
  parts: z.array(Part),
  /** Why an approval is needed regardless of rules, one sentence each. */
  warnings: optional(z.array(Text)),
  /** Fields of the input that lift a restriction. */
  escalations: optional(z.array(NamedText)),
  /** Environment variables that are added. `effect` completes a sentence that starts with the variable's name. */
  env: optional(z.array(z.object({ ...NamedText.shape, effect: optional(Text) }))),
  /** Absolute path of the working directory, if it differs from the folder of the conversation. */
  cwd: optional(Text),
  /** Absolute path of the folder in which the action happens, if it is known. */
  folder: optional(Text),
  /** All other fields of the request. Values that are not strings are shown as JSON. */
  more: optional(z.array(NamedText)),
  /** Whether the request does not describe the action. */
  isUndescribed: optional(z.boolean()),
  options: z.array(ApprovalOption),
  /** Milliseconds until the request times out: relative, because the clocks of page and host may differ. */
  expiresInMs: optional(z.number()),
  state: z.enum(['pending', 'answering']),
  /** Id of the transcript entry of the waiting tool call. */
  entryId: optional(Text),
  /** Hash of everything that is shown, which comes back with an answer. Unset if the request cannot be compared. */
  shown: optional(Text),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** An attachment of an unsent prompt. `id` identifies it in the host. An image contains its data. */
export const DraftAttachment = z.object({ ...Attachment.shape, id: Text, tokens: optional(Count) });
export type DraftAttachment = z.infer<typeof DraftAttachment>;

/**
 * An unsent prompt. `id` becomes the id of the prompt, so that a prompt that was sent is recognized when the draft is read
 * again after a crash.
 */
export const Draft = z.object({ id: optional(Text), text: Text, attachments: z.array(DraftAttachment) });
export type Draft = z.infer<typeof Draft>;

/** A notice of Backline. `actions`: the labels of its buttons. */
export const NoticeView = z.object({
  id: Text,
  level: z.enum(['info', 'warning', 'error']),
  text: Text,
  actions: z.array(Text),
});
export type NoticeView = z.infer<typeof NoticeView>;

/**
 * `isRetry`: it repeats the prompt before it, whose turn has failed. `isJoining`: the agent was asked to take it into the turn
 * that runs, and has not answered yet. `isDoubtful`: the agent has not said whether it took it, so it is not sent by itself.
 */
export const QueuedPrompt = z.object({
  ...Draft.shape,
  id: Text,
  isRetry: optional(z.boolean()),
  isJoining: optional(z.boolean()),
  isDoubtful: optional(z.boolean()),
});
export type QueuedPrompt = z.infer<typeof QueuedPrompt>;

/** What an agent does without approval: edit files, or also run commands. */
export const UnattendedAction = z.enum(['edits', 'runs']);
export type UnattendedAction = z.infer<typeof UnattendedAction>;

/** An option of a session, such as its mode or model. */
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
        unattended: optional(UnattendedAction),
      }),
    ),
    /** Whether values other than the listed choices are allowed. */
    custom: optional(z.boolean()),
    /** Why the value can't be used, and what to do. */
    problem: optional(Text),
  }),
  z.object({
    type: z.literal('boolean'),
    id: Text,
    name: Text,
    description: optional(Text),
    category: optional(Text),
    value: z.boolean(),
    /** What the agent does without approval while the option is on. */
    unattended: optional(UnattendedAction),
  }),
]);
export type OptionView = z.infer<typeof OptionView>;

export function toOptionViews(options: readonly ConfigOption[]): OptionView[] {
  return options.map((option) => OptionView.parse(option));
}

export const CommandView = z.object({ name: Text, description: Text, hint: optional(Text) });
export type CommandView = z.infer<typeof CommandView>;

export function toCommandViews(commands: readonly SlashCommand[]): CommandView[] {
  return commands.map((command) => CommandView.parse(command));
}

/** What agents are told in each turn, and the presets for new conversations. */
export const StandingView = z.object({
  /** What the agent of the displayed conversation, or of the next one, is told. */
  instructions: optional(Text),
  presets: z.array(z.object({ name: Text, detail: Text, isOfWorkspace: z.boolean() })),
  /** The name of the preset with which the conversation began, or the next one begins. */
  preset: optional(Text),
});
export type StandingView = z.infer<typeof StandingView>;

/** A file with a prompt, which the user can choose as a command. `id`: its absolute path. `hint`: the arguments that it takes. */
export const PromptFileRow = z.object({
  id: Text,
  ...CommandView.shape,
  origin: z.enum(['workspace', 'user']),
  /** Why it can't be used, as a clause that follows the name of the file. */
  problem: optional(Text),
});
export type PromptFileRow = z.infer<typeof PromptFileRow>;

/** A context item that is sent automatically with each prompt while its chip is on. */
export const ContextChipView = z.object({ kind: Text, label: Text, isOn: z.boolean(), tokens: optional(Count) });
export type ContextChipView = z.infer<typeof ContextChipView>;

const Limit = optional(z.enum(['ask', 'deny']));
/** What an agent may do less than the policy allows; see `CreateSessionOptions`. */
const PresetLimits = z.object({ read: Limit, edit: Limit, run: Limit, fetch: Limit });
/** The preset with which a conversation began, and what that tells the agent. */
export const PresetOfConversation = z.object({
  name: Text,
  instructions: optional(Text),
  limits: optional(PresetLimits),
});
export type PresetOfConversation = z.infer<typeof PresetOfConversation>;

export const ConversationView = z.object({
  id: Text,
  title: Text,
  backendId: Text,
  backendTitle: Text,
  status: z.enum([
    'idle',
    'starting',
    'busy',
    'stopping',
    'reconnecting',
    /** Another window is writing to this conversation, or a newer version of Backline has written it. */
    'readonly',
    'signIn',
    'failed',
  ]),
  /** What is happening, or what went wrong and what to do. */
  statusText: optional(Text),
  /** Set for a side question: the title of the conversation that it is about, and whether the user keeps it. */
  aside: optional(z.object({ about: Text, isKept: optional(z.boolean()) })),
  /** Whether another window is writing to the conversation and this window follows it. */
  isInUse: optional(z.boolean()),
  /** Whether a turn runs in that window, which takes answers from here. */
  runsInOtherWindow: optional(z.boolean()),
  statusDetails: optional(Text),
  /** Why the conversation can't be saved. Independent of `status`. */
  problem: optional(Text),
  isBusy: optional(z.boolean()),
  /** Number of the turn that runs. */
  turn: optional(z.int()),
  /** Whether the turn that runs takes further prompts. Else they wait for its end. */
  canSteer: optional(z.boolean()),
  /** Set from the prompt to the end of its turn, unless `status` tells the user what to do. */
  activity: optional(Activity),
  /** The agent's plan, from its first step to the end of the turn or of the last step. Then the transcript has it. */
  plan: optional(z.array(TodoItem)),
  approvals: z.array(ApprovalView),
  queue: z.array(QueuedPrompt),
  options: z.array(OptionView),
  commands: z.array(CommandView),
  takesImages: z.boolean(),
  preset: optional(PresetOfConversation),
  /** Usage and size of the context window, in tokens. */
  context: optional(z.object({ used: Count, size: Count })),
  usage: optional(Usage),
  /** Files that have changed since the start of the conversation. If there are many, only the first ones. */
  changes: z.array(FileChange),
  /** Totals of all changes, if `changes` does not contain all of them. */
  changeTotals: optional(ChangeTotals),
});
export type ConversationView = z.infer<typeof ConversationView>;

export const MentionRow = z.object({ ...DraftAttachment.shape, detail: optional(Text) });
export type MentionRow = z.infer<typeof MentionRow>;
