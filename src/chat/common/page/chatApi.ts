import * as z from 'zod/mini';
import { Entry, Part } from '../../../transcript/common/entries';
import { TranscriptPatch } from '../../../transcript/common/patch';
import { defineAction, defineNotification, defineRequest, NoValue } from '../../../webview/common/protocol';
import {
  BackendView,
  CommandView,
  ContextChipView,
  Draft,
  MentionRow,
  OptionView,
  SessionRow,
  SessionView,
  Unattended,
} from '../chatView';

/** Messages between the chat page and its host. */

const Text = z.string();
const inSession = { sessionId: Text };
const optional = z.optional;
const changedFile = { path: optional(Text), renamedFrom: optional(Text), turn: optional(z.int()) };
/** `revision` increases with each change of the composer, for the lifetime of the page. */
const draftFields = { sessionId: optional(Text), revision: z.int(), ...Draft.shape };

/** Posted by the host at most once per frame. Absent members have not changed. */
export const ChatUpdate = z.object({
  /** The displayed conversation; null if none. */
  session: optional(z.nullable(SessionView)),
  transcript: optional(TranscriptPatch),
  sessions: optional(z.array(SessionRow)),
  backends: optional(z.array(BackendView)),
  chosenBackend: optional(Text),
  /** Options for a new session with the current backend. */
  newOptions: optional(z.array(OptionView)),
  /** What the current agent did without asking in earlier turns; null if nothing. */
  seenUnattended: optional(z.nullable(Unattended)),
  /** Last known commands of the chosen backend, for a new conversation. */
  newCommands: optional(z.array(CommandView)),
  /** Context that can be sent along automatically. */
  chips: optional(z.array(ContextChipView)),
  /** First keys of multi-key shortcuts, see `chordBeginnings`. */
  keyChords: optional(z.array(Text)),
  /** Absolute paths of the workspace folders; paths are shown relative to them. */
  folders: optional(z.array(Text)),
  /** Draft of the displayed conversation. Sent when it is opened, and when a refused prompt is restored. */
  draft: optional(Draft),
  /** This draft was sent, here or from another page: a composer that still contains it is cleared. */
  sent: optional(Draft),
  /** This prompt was refused: it is put before what was typed since. */
  refused: optional(Draft),
  /** The composer's contents move to the conversation now displayed: it began with a prompt of this page, or failed to. */
  keepsComposer: optional(z.boolean()),
  /** Ids of draft attachments whose files no longer exist. They would not be sent. */
  missing: optional(z.array(Text)),
  /** Earlier prompts, newest last. */
  history: optional(z.array(Text)),
  /** Whether the workspace is untrusted, so that agents can't start. */
  untrusted: optional(z.boolean()),
});
export type ChatUpdate = z.infer<typeof ChatUpdate>;

export const didUpdate = defineNotification('chat/didUpdate', ChatUpdate);
/** Inserts text and attachments into the composer. */
export const didInsert = defineNotification('chat/didInsert', Draft);
/** Forwards a command of the Command Palette or title bar to the page. */
export const didInvokeCommand = defineNotification(
  'chat/didAsk',
  z.object({ what: z.enum(['focusComposer', 'showSessions', 'focusApproval', 'allow', 'deny', 'find']) }),
);

export const chatRequests = {
  /** The page has loaded. The host replies with a full `didUpdate`. */
  ready: defineAction('chat/ready', NoValue),
  /** Heartbeat, sent every few seconds while the page is visible. */
  alive: defineAction('chat/alive', NoValue),
  /** The page has focus. Commands apply to the page focused last. */
  focused: defineAction('chat/focused', NoValue),
  loadOlder: defineAction(
    'chat/loadOlder',
    z.object({ ...inSession, count: z.int().check(z.positive(), z.lte(1_000)) }),
  ),

  /** Sends a prompt, or queues it while a turn runs. Without `sessionId`, starts a conversation with the chosen backend. */
  send: defineAction('chat/send', z.object(draftFields)),
  /** Asks the agent to continue an answer that was cut off. Leaves the draft unchanged. */
  continueTurn: defineAction('chat/continueTurn', z.object(inSession)),
  /** Ends the turn and keeps the queue. */
  stop: defineAction('chat/stop', z.object(inSession)),
  /** Answers an approval. `option` is the exact label. `reason` is sent as the next prompt. */
  approve: defineAction(
    'chat/approve',
    z.object({ ...inSession, approvalId: Text, option: Text, reason: optional(Text) }),
  ),
  /** Removes a prompt from the queue and returns it. With `isEdited`, the host also appends it to the draft. */
  unqueue: defineRequest('chat/unqueue', z.object({ ...inSession, id: Text, isEdited: z.boolean() }), Draft),
  /** Sends the first queued prompt, after a turn that failed or was stopped. */
  sendQueued: defineAction('chat/sendQueued', z.object(inSession)),
  /** Asks what to restore to before a prompt: the conversation, files or both. */
  restore: defineAction('chat/restore', z.object({ ...inSession, entryId: Text })),
  /** Continues the conversation from before a prompt, with the prompt in the composer. */
  editAndResend: defineAction('chat/editAndResend', z.object({ ...inSession, entryId: Text })),
  undoRestore: defineAction('chat/undoRestore', z.object({ ...inSession, restoreId: Text })),
  saveDraft: defineAction('chat/saveDraft', z.object(draftFields)),
  /** Without `sessionId`, sets the option for the next conversation with the current backend. */
  setOption: defineAction(
    'chat/setOption',
    z.object({ sessionId: optional(Text), optionId: Text, value: z.union([Text, z.boolean()]) }),
  ),
  /** Prepares a session so that its options are known. Sent on the first key stroke, or when the options are opened. */
  prepare: defineAction('chat/prepare', NoValue),
  toggleContext: defineAction('chat/toggleContext', z.object({ kind: Text, isOn: z.boolean() })),

  /** Refreshes the backends. Changes arrive by `didUpdate`. */
  refreshBackends: defineAction('chat/lookAtBackends', NoValue),
  chooseBackend: defineAction('chat/chooseBackend', z.object({ backendId: Text })),
  /** Helps with a backend that isn't ready: sign in, settings, restart. */
  repairBackend: defineAction(
    'chat/repairBackend',
    z.object({ backendId: Text, how: z.optional(z.enum(['install', 'edit'])) }),
  ),
  /** Prompts that are useful in this workspace. */
  starters: defineRequest('chat/starters', NoValue, z.object({ starters: z.array(Draft) })),
  /** Opens the page of agents. */
  showAgents: defineAction('chat/showAgents', NoValue),
  manageTrust: defineAction('chat/manageTrust', NoValue),
  openFolder: defineAction('chat/openFolder', NoValue),
  /** Shows an empty page. The conversation is created with the first prompt. */
  newSession: defineAction('chat/newSession', z.object({ backendId: optional(Text) })),
  openSession: defineAction('chat/openSession', z.object(inSession)),
  openInTab: defineAction('chat/openInTab', z.object(inSession)),
  renameSession: defineAction('chat/renameSession', z.object({ ...inSession, title: Text })),
  /** The host asks the user to confirm. */
  deleteSession: defineAction('chat/deleteSession', z.object(inSession)),
  searchSessions: defineRequest(
    'chat/searchSessions',
    z.object({ query: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** Lists the sessions that a backend keeps. Starts the backend; while it runs, `searchSessions` includes them. */
  listRemoteSessions: defineRequest(
    'chat/lookForSessions',
    z.object({ backendId: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** Cancels `lookForSessions`. */
  cancelListing: defineAction('chat/stopLooking', NoValue),
  exportSession: defineAction(
    'chat/exportSession',
    z.object({ ...inSession, format: z.enum(['markdown', 'html', 'json']) }),
  ),

  /** Rows for `@`. `kind` limits them to one source. With `isMore`, waits until there are more rows for the same query. */
  mentions: defineRequest(
    'chat/mentions',
    z.object({ query: Text, kind: optional(Text), isMore: optional(z.boolean()) }),
    z.object({ rows: z.array(MentionRow), isPartial: optional(z.boolean()) }),
  ),
  /** Files and folders dropped on the composer, as URIs or paths. */
  rowsForDrop: defineRequest(
    'chat/dropped',
    z.object({ uris: z.array(Text) }),
    z.object({ rows: z.array(MentionRow) }),
  ),

  /** Returns the full entry. A very large one opens in an editor, and is returned trimmed. */
  showAll: defineRequest('chat/showAll', z.object({ ...inSession, entryId: Text }), z.object({ entry: Entry })),
  /** Returns the parts of an approval, trimmed only to what a page can show. */
  showApproval: defineRequest(
    'chat/showApproval',
    z.object({ ...inSession, approvalId: Text }),
    z.object({ parts: z.array(Part) }),
  ),
  /** `part` is the index of a diff in the entry's parts. */
  openDiff: defineAction('chat/openDiff', z.object({ ...inSession, entryId: Text, part: z.int() })),
  openApprovalDiff: defineAction('chat/openApprovalDiff', z.object({ ...inSession, approvalId: Text, part: z.int() })),
  /** Opens a path or link of the transcript. `line` is 1-based. */
  open: defineAction('chat/open', z.object({ target: Text, line: optional(z.int()) })),
  copy: defineAction('chat/copy', z.object({ text: Text })),
  insertAtCursor: defineAction('chat/insertAtCursor', z.object({ text: Text })),
  /** Proposes the code as a change to `path`, or to the active file. */
  applyCode: defineAction('chat/applyCode', z.object({ text: Text, path: optional(Text) })),
  openAsNewFile: defineAction('chat/openAsNewFile', z.object({ text: Text, language: optional(Text) })),

  /** Opens a diff of a file: before the conversation and now, or before and after `turn`. */
  openChange: defineAction('chat/openChange', z.object({ ...inSession, ...changedFile, path: Text })),
  /** Opens all changes of the conversation that are left, or all of one turn, in one diff editor. */
  reviewChanges: defineAction('chat/reviewChanges', z.object({ ...inSession, turn: optional(z.int()) })),
  /** Reverts one file, or all without `path`; with `turn`, only the changes of that turn. */
  revert: defineAction('chat/revert', z.object({ ...inSession, ...changedFile })),
  /** Accepts the changes to one file, or to all without `path`. */
  keepChanges: defineAction(
    'chat/keepChanges',
    z.object({ ...inSession, path: optional(Text), renamedFrom: optional(Text) }),
  ),
} as const;
