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
  UnattendedAction,
} from '../chatView';

/** Messages between the chat page and its host. */

const Text = z.string();
const inSession = { sessionId: Text };
const optional = z.optional;
const changedFile = { path: optional(Text), renamedFrom: optional(Text), turn: optional(z.int()) };
/** The content of the composer. `revision` increases with each change, as long as the page exists. */
const draftFields = { sessionId: optional(Text), revision: z.int(), ...Draft.shape };

/** Sent by the host at most once per frame. Absent members have not changed. */
export const ChatUpdate = z.object({
  /** The displayed conversation; null if there is none. */
  session: optional(z.nullable(SessionView)),
  transcript: optional(TranscriptPatch),
  sessions: optional(z.array(SessionRow)),
  backends: optional(z.array(BackendView)),
  chosenBackend: optional(Text),
  /** Options for a new session with the current backend. */
  newOptions: optional(z.array(OptionView)),
  /** What the current agent did without approval in earlier turns; null if nothing. */
  seenUnattended: optional(z.nullable(UnattendedAction)),
  /** The last known commands of the chosen backend, for a new conversation. */
  newCommands: optional(z.array(CommandView)),
  /** Chips for context that can be sent automatically. */
  chips: optional(z.array(ContextChipView)),
  /** First keys of multi-key shortcuts; see `chordPrefixes`. */
  keyChords: optional(z.array(Text)),
  /** Absolute paths of the workspace folders. Other paths are shown relative to them. */
  folders: optional(z.array(Text)),
  /** Draft of the displayed conversation. Sent when it is opened, and when a refused prompt is restored. */
  draft: optional(Draft),
  /** A draft that was sent from this or another page. A composer that still contains it is cleared. */
  sent: optional(Draft),
  /** A prompt that was refused. It is placed before the text that the user has typed since. */
  refused: optional(Draft),
  /**
   * Whether the content of the composer moves to the conversation that is now displayed, because a prompt from this
   * page has started it or tried to.
   */
  keepsComposer: optional(z.boolean()),
  /** Ids of attachments in the draft whose files no longer exist. They would not be sent. */
  missing: optional(z.array(Text)),
  /** Earlier prompts, oldest first. */
  history: optional(z.array(Text)),
  /** Whether the workspace is not trusted, so that agents can't start. */
  untrusted: optional(z.boolean()),
});
export type ChatUpdate = z.infer<typeof ChatUpdate>;

export const didUpdate = defineNotification('chat/didUpdate', ChatUpdate);
/** Inserts text and attachments into the composer. */
export const didInsert = defineNotification('chat/didInsert', Draft);
/** Notifies the page of a command from the Command Palette or title bar. */
export const didInvokeCommand = defineNotification(
  'chat/didAsk',
  z.object({ what: z.enum(['focusComposer', 'showSessions', 'focusApproval', 'allow', 'deny', 'find']) }),
);

export const chatRequests = {
  /** The page has loaded. The host replies with a complete `didUpdate`. */
  ready: defineAction('chat/ready', NoValue),
  /** Heartbeat that the page sends every few seconds while it is visible. */
  alive: defineAction('chat/alive', NoValue),
  /** The page has received the focus. Commands apply to the page that had the focus last. */
  focused: defineAction('chat/focused', NoValue),
  loadOlder: defineAction(
    'chat/loadOlder',
    z.object({ ...inSession, count: z.int().check(z.positive(), z.lte(1_000)) }),
  ),

  /** Sends a prompt, or queues it during a turn. Without `sessionId`, starts a conversation with the backend. */
  send: defineAction('chat/send', z.object(draftFields)),
  /** Asks the agent to continue an answer that was interrupted. The draft stays unchanged. */
  continueTurn: defineAction('chat/continueTurn', z.object(inSession)),
  /** Ends the turn and keeps the queue. */
  stop: defineAction('chat/stop', z.object(inSession)),
  /** Answers an approval. `option` is the exact label. `reason` is sent as the next prompt. */
  approve: defineAction(
    'chat/approve',
    z.object({ ...inSession, approvalId: Text, option: Text, reason: optional(Text) }),
  ),
  /** Removes a prompt from the queue and returns it. With `isEdited`, the host also appends the prompt to the draft. */
  unqueue: defineRequest('chat/unqueue', z.object({ ...inSession, id: Text, isEdited: z.boolean() }), Draft),
  /** Sends the first queued prompt. Needed after a turn that failed or was stopped. */
  sendQueued: defineAction('chat/sendQueued', z.object(inSession)),
  /** Asks the user whether to restore the conversation, files or both to the state before a prompt. */
  restore: defineAction('chat/restore', z.object({ ...inSession, entryId: Text })),
  /** Continues the conversation from before a prompt, and places the prompt in the composer. */
  editAndResend: defineAction('chat/editAndResend', z.object({ ...inSession, entryId: Text })),
  undoRestore: defineAction('chat/undoRestore', z.object({ ...inSession, restoreId: Text })),
  saveDraft: defineAction('chat/saveDraft', z.object(draftFields)),
  /** Sets an option. Without `sessionId`, sets it for the next conversation with the current backend. */
  setOption: defineAction(
    'chat/setOption',
    z.object({ sessionId: optional(Text), optionId: Text, value: z.union([Text, z.boolean()]) }),
  ),
  /** Prepares a session to know its options. Sent when the user types the first character or opens the options. */
  prepare: defineAction('chat/prepare', NoValue),
  toggleContext: defineAction('chat/toggleContext', z.object({ kind: Text, isOn: z.boolean() })),

  /** Refreshes the backends. `didUpdate` reports the changes. */
  refreshBackends: defineAction('chat/lookAtBackends', NoValue),
  chooseBackend: defineAction('chat/chooseBackend', z.object({ backendId: Text })),
  /** Offers a remedy for a backend that is not ready: sign in, settings, restart. */
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
  /** Shows an empty page. The first prompt then creates the conversation. */
  newSession: defineAction('chat/newSession', z.object({ backendId: optional(Text) })),
  openSession: defineAction('chat/openSession', z.object(inSession)),
  openInTab: defineAction('chat/openInTab', z.object(inSession)),
  renameSession: defineAction('chat/renameSession', z.object({ ...inSession, title: Text })),
  /** Deletes a conversation. The host asks the user to confirm. */
  deleteSession: defineAction('chat/deleteSession', z.object(inSession)),
  searchSessions: defineRequest(
    'chat/searchSessions',
    z.object({ query: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** Lists the sessions that a backend stores, and starts it. While it runs, `searchSessions` includes them. */
  listRemoteSessions: defineRequest(
    'chat/lookForSessions',
    z.object({ backendId: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** Cancels `listRemoteSessions`. */
  cancelListing: defineAction('chat/stopLooking', NoValue),
  exportSession: defineAction(
    'chat/exportSession',
    z.object({ ...inSession, format: z.enum(['markdown', 'html', 'json']) }),
  ),

  /** Returns rows for `@`. `kind`: only from one source. `isMore`: waits for more rows of the same query. */
  mentions: defineRequest(
    'chat/mentions',
    z.object({ query: Text, kind: optional(Text), isMore: optional(z.boolean()) }),
    z.object({ rows: z.array(MentionRow), isPartial: optional(z.boolean()) }),
  ),
  /** Returns rows for files and folders that were dropped on the composer, as URIs or paths. */
  rowsForDrop: defineRequest(
    'chat/dropped',
    z.object({ uris: z.array(Text) }),
    z.object({ rows: z.array(MentionRow) }),
  ),

  /** Returns the complete entry. A very large entry opens in an editor, and is returned in shortened form. */
  showAll: defineRequest('chat/showAll', z.object({ ...inSession, entryId: Text }), z.object({ entry: Entry })),
  /** Returns the parts of an approval. Only those that are too large for a page are shortened. */
  showApproval: defineRequest(
    'chat/showApproval',
    z.object({ ...inSession, approvalId: Text }),
    z.object({ parts: z.array(Part) }),
  ),
  /** Opens a diff of a transcript entry. `part` is the index of the diff in the entry's parts. */
  openDiff: defineAction('chat/openDiff', z.object({ ...inSession, entryId: Text, part: z.int() })),
  openApprovalDiff: defineAction('chat/openApprovalDiff', z.object({ ...inSession, approvalId: Text, part: z.int() })),
  /** Opens a path or link in the transcript. `line` is 1-based. */
  open: defineAction('chat/open', z.object({ target: Text, line: optional(z.int()) })),
  copy: defineAction('chat/copy', z.object({ text: Text })),
  insertAtCursor: defineAction('chat/insertAtCursor', z.object({ text: Text })),
  /** Proposes the code as a change to `path`, or to the active file. */
  applyCode: defineAction('chat/applyCode', z.object({ text: Text, path: optional(Text) })),
  openAsNewFile: defineAction('chat/openAsNewFile', z.object({ text: Text, language: optional(Text) })),

  /** Opens a diff of a file: from before the conversation to now, or from before to after `turn`. */
  openChange: defineAction('chat/openChange', z.object({ ...inSession, ...changedFile, path: Text })),
  /** Opens all remaining changes of the conversation, or all changes of one turn, in one diff editor. */
  reviewChanges: defineAction('chat/reviewChanges', z.object({ ...inSession, turn: optional(z.int()) })),
  /** Reverts the changes to one file, or to all files without `path`; only those of `turn`, if set. */
  revert: defineAction('chat/revert', z.object({ ...inSession, ...changedFile })),
  /** Keeps the changes to one file, or to all files without `path`. */
  keepChanges: defineAction(
    'chat/keepChanges',
    z.object({ ...inSession, path: optional(Text), renamedFrom: optional(Text) }),
  ),
} as const;
